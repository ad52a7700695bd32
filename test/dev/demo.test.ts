/** `npm run demo` as a process, against a running service and with one of its own. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { eventually } from '../support/fleet.ts';
import { alive, descendantsOf, endAll, newDataDir, type Running, run, startStack } from '../support/stack.ts';

const DEMO_MS = 150_000;
/** Outcomes that the demo prints, in order. */
const STORY = [
  /online 6$/,
  /applied 6$/,
  /an alert is open: high_temp at (?:[89]|\d\d)[.\d]* °C$/,
  /delivered, attempts: 1 → 503, 2 → 503, 3 → 204$/,
  /got it 3 times, always with the same webhook-id; its signature is good\.$/,
  /the alert is resolved$/,
  /alert\.resolved has arrived at the receiver\.$/,
  /The job is running until .*; it waits for 282C[0-9A-F]{6}06\.$/,
  /^Where to look$/,
];

describe('npm run demo', () => {
  after(endAll);

  async function succeeds(demo: Running): Promise<void> {
    assert.equal(await demo.exited, 0, demo.output());
    const lines = demo.output().split('\n');
    const seenAt = STORY.map((sentence) => lines.findIndex((line) => sentence.test(line)));
    assert.ok(!seenAt.includes(-1), `${STORY[seenAt.indexOf(-1)]} was not printed:\n${demo.output()}`);
    assert.deepEqual(
      seenAt.toSorted((a, b) => a - b),
      seenAt,
    );
  }

  const leftIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('dms-demo-'));

  it('runs against a running service, leaves it running, and prints only commands that work', async () => {
    const dataDir = newDataDir();
    const service = await startStack(dataDir);
    const demo = run('demo', { DATA_DIR: dataDir });
    await succeeds(demo);
    const [, pasted = ''] = demo.output().split('Where to look');
    const shell = pasted.slice(pasted.indexOf('  BASE='));
    const answers = execFileSync('bash', ['-c', shell], { encoding: 'utf8' }).trim().split('\n');
    assert.equal(answers.length, 6);
    for (const answer of answers) assert.equal(JSON.parse(answer).success, undefined, answer);
    assert.ok(service.isRunning());
    const clean = run('demo', { DATA_DIR: dataDir }, '--clean');
    assert.equal(await clean.exited, 0, clean.output());
    assert.match(clean.output(), /^Archived 7 devices/m);
  }).timeout(DEMO_MS);

  it('starts a service of its own and removes it with its files at the end', async () => {
    const temporary = newDataDir();
    mkdirSync(temporary);
    const demo = run('demo', { DATA_DIR: `${temporary}/nobody`, TMPDIR: temporary });
    await demo.line(/starts one of its own/);
    await demo.line(/^7\./);
    const started = descendantsOf(demo.pid);
    assert.ok(started.length > 0);
    await succeeds(demo);
    assert.deepEqual([alive(started), leftIn(temporary)], [[], []]);
  }).timeout(DEMO_MS);

  it('leaves no process and no file when it is stopped during the start', async () => {
    const temporary = newDataDir();
    mkdirSync(temporary);
    const demo = run('demo', { DATA_DIR: `${temporary}/nobody`, TMPDIR: temporary });
    await demo.line(/starts one of its own/);
    const isPostgres = ({ command }: { command: string }) => command.includes('postgres');
    const started = await eventually(
      async () => descendantsOf(demo.pid),
      (found) => found.some(isPostgres),
    );
    await demo.end('SIGTERM');
    await eventually(
      async () => alive(started),
      (left) => left.length === 0,
    );
    assert.ok(existsSync(temporary));
    assert.deepEqual(leftIn(temporary), []);
  });
});
