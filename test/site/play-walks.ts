/**
 * A process that reads the servers of the tests, sends a frame and an apply through a service of its own, and writes the
 * functions that ran in each. V8 does not count the first calls of a function that ran before the count began and has no
 * instance left, such as a method of the repository of an earlier transaction. So the count begins before the service is loaded.
 */
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../dev/source/imports.ts';
import { apply, createProfile, eventually, FRIDGE, register, untilEnded } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';

const SERIAL = '282C02424EED';
const SOURCES = pathToFileURL(ROOT).href;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.env.TEST_SERVERS = await text(process.stdin);
const { startService } = await import('../support/service.ts');
const { startReceiver } = await import('../support/receiver.ts');

const [dms, receiver] = await Promise.all([startService(), startReceiver()]);
await register(dms, SERIAL);
await createProfile(dms, FRIDGE);
const { token } = await dms.issueKey(dms.id, 'device');
const logger = await openLogger({ serial: SERIAL, coapPort: dms.coapPort, token });
const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const webhook = await dms.api.post('/cellular-webhooks', { url: receiver.url, secret });
assert.equal(webhook.status, 201);

const called = {
  'walk-of-a-frame.md': await functionsCalledBy(frame),
  'walk-of-an-apply.md': await functionsCalledBy(applyAndConfirm),
};
await Promise.all([logger.close(), receiver.stop(), dms.stop()]);
process.stdout.write(JSON.stringify(called), () => process.exit());

async function frame(): Promise<void> {
  await logger.measure();
  await eventually(
    async () => (await dms.api.get(`/cellular-webhooks/${webhook.body.id}/deliveries`)).body.items,
    ([delivery]) => delivery?.state === 'delivered',
  );
}

async function applyAndConfirm(): Promise<void> {
  const jobId = await apply(dms, 'vaccine-fridge', { serialNumbers: [SERIAL] });
  logger.applyAnswer(await logger.measure({ at: new Date(Date.now() + 1_000) }));
  await logger.report();
  assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
}

async function functionsCalledBy(run: () => Promise<void>): Promise<string[]> {
  await takeCounts();
  await run();
  const counts = await takeCounts();
  return counts.flatMap(({ url, functions }) =>
    functions
      .filter(({ ranges }) => ranges.some(({ count }) => count > 0))
      .map(({ functionName }) => `${url.replace(SOURCES, '')} ${functionName}`),
  );
}

/** The counts since the last time. */
async function takeCounts() {
  return (await session.post('Profiler.takePreciseCoverage')).result;
}
