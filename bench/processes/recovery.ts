/**
 * How long a job whose devices have all confirmed stands still when its worker was killed or its run
 * terminated.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createLedgerClient, type LedgerClient } from '../../dev/ledger/client.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { applyProfileId } from '../../src/temporal/workflow-ids.ts';
import { printTable, round } from '../support/table.ts';
import type { ProcessBench } from './process-bench.ts';

const DEVICES = 40;
const RUNS = 3;
/** Delays from the first report to the kill of the worker, so that it dies in different steps. */
const KILL_AFTER_MS = [0, 30, 120];
const CONFIRMING = { measurementPeriodBase: 300, measurementPeriodFactor: 1, transmissionInterval: 21_600 };
const PROFILE = { intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 } };
const GIVE_UP_MS = 180_000;

export async function benchRecovery(bench: ProcessBench): Promise<void> {
  const rows = [
    ['no fault', ...(await measure(bench, async () => {})), ''],
    ['both workers killed, one started at once', ...(await measure(bench, killWorkers)), 20],
    ['run terminated', ...(await measure(bench, terminateRun)), 30],
  ];
  printTable(
    `Last report until the job has ended, ${DEVICES} devices, ${RUNS} runs, seconds`,
    ['', 'first', 'second', 'third', 'bar'],
    rows,
  );
}

/** Seconds; text when it timed out. */
type Measured = number | string;
type Disturb = (bench: ProcessBench, job: { id: string; run: number }) => Promise<void>;

async function measure(bench: ProcessBench, disturb: Disturb): Promise<Measured[]> {
  const seconds: Measured[] = [];
  for (let run = 0; run < RUNS; run++) {
    await bench.runOnly('api-1', 'worker-1', 'worker-2');
    seconds.push(await measureOne(bench, disturb, run));
  }
  return seconds;
}

async function measureOne(bench: ProcessBench, disturb: Disturb, run: number): Promise<Measured> {
  const fleet = await bench.addFleet(DEVICES, { isVacuumed: false });
  const url = `http://127.0.0.1:${bench.process('api-1').port}`;
  const client = createLedgerClient(url, fleet.apiKey);
  const devices = createLedgerClient(url, fleet.deviceToken);
  await client.send('POST', '/devices/config-profiles', { slug: 'intervals', ...PROFILE });
  const { body } = await client.send('PUT', '/devices/config-profiles/intervals/apply', { applyToAll: true });
  // By now the run has read the job and waits.
  await delay(2_000);
  const disturbing = disturb(bench, { id: body.jobId, run });
  for (let device = 1; device <= DEVICES; device++)
    await devices.send('POST', `/devices/DEV-${device}/config-reports`, CONFIRMING);
  const reportedAt = performance.now();
  const hasEnded = await waitForEnd(client, body.jobId);
  await disturbing;
  return hasEnded ? round((performance.now() - reportedAt) / 1000) : `above ${GIVE_UP_MS / 1000}`;
}

async function waitForEnd(client: LedgerClient, jobId: string): Promise<boolean> {
  const until = performance.now() + GIVE_UP_MS;
  while (performance.now() < until) {
    if ((await client.get(`/devices/config-jobs/${jobId}`)).body.status !== 'running') return true;
    await delay(100);
  }
  return false;
}

async function killWorkers(bench: ProcessBench, { run }: { run: number }): Promise<void> {
  await delay(KILL_AFTER_MS[run] ?? 0);
  await Promise.all(['worker-1', 'worker-2'].map((name) => bench.process(name).end('SIGKILL')));
  await bench.process('worker-1').start();
}

async function terminateRun({ temporalAddress }: ProcessBench, { id }: { id: string }): Promise<void> {
  const { client, close } = connectTemporal({
    options: { address: temporalAddress },
    namespace: 'default',
  });
  await client.workflow.getHandle(applyProfileId(id)).terminate('bench');
  await close();
}
