/**
 * Pages for newcomers. A frame and an apply are sent through the service, and each function that a walk names runs; the first
 * tasks begin at names that exist.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../dev/source/imports.ts';
import { apply, createProfile, eventually, FRIDGE, register, untilEnded } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';

const SERIAL = '282C02424EED';
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

const SOURCES = pathToFileURL(ROOT).href;
const keyOf = ({ file, name }: Step) => `${file} ${name}`;

/** Temporal runs workflows in a sandbox, whose calls cannot be observed. */
const isWorkflow = ({ file }: Step) => file.startsWith('workflows/');
const isExported = ({ file, name }: Step) =>
  new RegExp(`^export (?:async )?function ${name}\\b`, 'm').test(readFileSync(join(ROOT, file), 'utf8'));

/** Answers with the functions that run meanwhile, by their names. */
async function observeCalls(run: () => Promise<void>): Promise<Set<string>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return new Set(
      result.flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges }) => ranges.some(({ count }) => count > 0))
          .map(({ functionName }) => keyOf({ file: url.replace(SOURCES, ''), name: functionName })),
      ),
    );
  } finally {
    session.disconnect();
  }
}

describe('The walk', () => {
  let dms: TestService;
  let receiver: Receiver;
  let webhookId: string;
  let logger: Awaited<ReturnType<typeof openLogger>>;

  before(async () => {
    [dms, receiver] = await Promise.all([startService(), startReceiver()]);
    await register(dms, SERIAL);
    await createProfile(dms, FRIDGE);
    const { token } = await dms.issueKey(dms.id, 'device');
    logger = await openLogger({ serial: SERIAL, coapPort: dms.coapPort, token });
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    const { status, body } = await dms.api.post('/cellular-webhooks', { url: receiver.url, secret });
    assert.equal(status, 201);
    webhookId = body.id;
  });
  after(() => Promise.all([logger.close(), receiver.stop(), dms.stop()]));

  async function frame(): Promise<void> {
    await logger.measure();
    await eventually(
      async () => (await dms.api.get(`/cellular-webhooks/${webhookId}/deliveries`)).body.items,
      ([delivery]) => delivery?.state === 'delivered',
    );
  }

  async function applyAndConfirm(): Promise<void> {
    const jobId = await apply(dms, 'vaccine-fridge', { serialNumbers: [SERIAL] });
    logger.applyAnswer(await logger.measure({ at: new Date(Date.now() + 1_000) }));
    await logger.report();
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
  }

  for (const [page, run] of [
    ['walk-of-a-frame.md', frame],
    ['walk-of-an-apply.md', applyAndConfirm],
  ] as const)
    it(`passes through each function of docs/${page}`, async () => {
      const steps = stepsOf(page);
      assert.ok(steps.length >= 15, `${steps.length} steps`);
      const called = await observeCalls(run);
      assert.deepEqual(
        steps.filter((step) => !(isWorkflow(step) ? isExported(step) : called.has(keyOf(step)))),
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
