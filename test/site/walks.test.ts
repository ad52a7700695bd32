/**
 * Pages for newcomers. A frame and an apply are sent through the service, and each function that a walk names runs; the first
 * tasks begin at names that exist.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../dev/source/imports.ts';
import { servers } from '../support/servers.ts';

const PROGRAM = fileURLToPath(new URL('./play-walks.ts', import.meta.url));
const STEP = /^\| \[`(\w+)`\]\(\.\.\/([\w/.-]+)\) \| /gm;

interface Step {
  file: string;
  name: string;
}

const stepsOf = (page: string): Step[] =>
  [...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(STEP)].map(([, name = '', file = '']) => ({
    file,
    name,
  }));

/** "`name` in [file](path)" */
const PLACE = /`(\w+)` in\s+\[[^\]]+\]\(\.\.\/([\w/.-]+)\)/g;

/** Temporal runs workflows in a sandbox, whose calls cannot be observed. */
const isWorkflow = ({ file }: Step) => file.startsWith('workflows/');
const isExported = ({ file, name }: Step) =>
  new RegExp(`^export (?:async )?function ${name}\\b`, 'm').test(readFileSync(join(ROOT, file), 'utf8'));

/** The functions that ran in each walk, as "file name", by its page. */
async function playWalks(): Promise<Record<string, string[]>> {
  const given = JSON.stringify(await servers());
  const child = spawn(process.execPath, ['--import=#typescript', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(given);
  const [answer, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(code, 0);
  return JSON.parse(answer);
}

describe('The walk', () => {
  let called: Record<string, string[]>;

  before(async () => {
    called = await playWalks();
  });

  for (const page of ['walk-of-a-frame.md', 'walk-of-an-apply.md'])
    it(`passes through each function of docs/${page}`, () => {
      const steps = stepsOf(page);
      assert.ok(steps.length >= 15, `${steps.length} steps`);
      assert.deepEqual(
        steps.filter(
          (step) =>
            !(isWorkflow(step) ? isExported(step) : called[page]?.includes(`${step.file} ${step.name}`)),
        ),
        [],
      );
    });
});

describe('The first tasks', () => {
  it('begin at names that exist', () => {
    const text = readFileSync(join(ROOT, 'docs/first-tasks.md'), 'utf8');
    const places = [...text.matchAll(PLACE)].map(([, name = '', file = '']) => ({ file, name }));
    assert.ok(places.length >= 3, `${places.length} places`);
    assert.deepEqual(
      places.filter(({ file, name }) => !readFileSync(join(ROOT, file), 'utf8').includes(name)),
      [],
    );
  });
});
