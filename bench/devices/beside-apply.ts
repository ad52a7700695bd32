/** Frames and reports of one organization, while another one applies a profile to many devices. */
import { request } from 'undici';
import { createCustomer, type Send } from '../support/customer.ts';
import { keepFigures } from '../support/figures.ts';
import type { Fleet } from '../support/fleet.ts';
import { percentile } from '../support/percentile.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { connectLoggers, type DeviceBench } from './device-bench.ts';

const APPLIED = Number(process.env.BENCH_APPLIED_DEVICES ?? 100_000);
const DEVICES = 10_000;
/** A column. */
const ACK_P99 = 3;
const LOAD = { framesPerSecond: 500, reportsPerSecond: 50, seconds: 15 };
const INTERVALS = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 3_600 };

export async function benchBesideApply(bench: DeviceBench): Promise<void> {
  const applying = await bench.stack.addFleet(APPLIED);
  const fleet = await bench.stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const send = createCustomer(bench.stack.apiUrl, applying);
  await send('POST', '/devices/config-profiles', { slug: 'intervals', intervals: INTERVALS });
  await measure(bench, fleet, { name: 'warm-up', round: 0 });
  const rows = [await measure(bench, fleet, { name: 'quiet', round: 40 })];
  const applied = applyAndWait(send);
  rows.push(await measure(bench, fleet, { name: 'beside the apply', round: 80 }));
  const { answeredMs, offeredMs } = await applied;
  const [quiet, beside] = rows.map((row) => Number(row[ACK_P99]));
  keepFigures({ 'besideApply.ackP99ToQuiet': round((beside ?? 0) / (quiet ?? 0), 2) });
  printTable(
    `${LOAD.framesPerSecond} frames/s and ${LOAD.reportsPerSecond} reports/s, while another organization applies to ${APPLIED} devices: answered after ${Math.round(answeredMs)} ms, all offered after ${Math.round(offeredMs)} ms, API peak ${bench.stack.apiPeakMb()} MB`,
    ['', 'frames', 'ACK p50 ms', 'p99 ms', 'lost', 'reports', 'p50 ms', 'p99 ms'],
    rows,
  );
}

async function applyAndWait(send: Send): Promise<{ answeredMs: number; offeredMs: number }> {
  const startedAt = performance.now();
  const path = '/devices/config-profiles/intervals/apply';
  const { jobId } = (await send('PUT', path, { applyToAll: true })) as { jobId: string };
  const answeredMs = performance.now() - startedAt;
  for (;;) {
    const { counts } = (await send('GET', `/devices/config-jobs/${jobId}`)) as { counts: { queued: number } };
    if (counts.queued === 0) return { answeredMs, offeredMs: performance.now() - startedAt };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function measure(
  bench: DeviceBench,
  fleet: Fleet,
  { name, round }: { name: string; round: number },
): Promise<Cell[]> {
  const loggers = await connectLoggers(bench, fleet);
  const { framesPerSecond, seconds } = LOAD;
  const [frames, reports] = await Promise.all([
    loggers.openLoop(framesPerSecond, { devices: DEVICES, seconds, round }),
    reportAtRate(bench, fleet),
  ]);
  loggers.close();
  return [
    name,
    frames.latenciesMs.length,
    percentile(frames.latenciesMs, 0.5),
    percentile(frames.latenciesMs, 0.99),
    frames.lost + frames.refused,
    reports.length,
    percentile(reports, 0.5),
    percentile(reports, 0.99),
  ];
}

/** Returns the milliseconds of each, sorted. */
async function reportAtRate({ stack }: DeviceBench, { deviceToken }: Fleet): Promise<number[]> {
  const { reportsPerSecond, seconds } = LOAD;
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const sending: Array<Promise<void>> = [];
  for (let index = 0; index < reportsPerSecond * seconds; index++) {
    const dueInMs = startedAt + (index * 1_000) / reportsPerSecond - performance.now();
    if (dueInMs > 1) await new Promise((resolve) => setTimeout(resolve, dueInMs));
    sending.push(report(index + 1));
  }
  await Promise.all(sending);
  return latenciesMs.sort((a, b) => a - b);

  async function report(device: number): Promise<void> {
    const sentAt = performance.now();
    const { statusCode, body } = await request(`${stack.apiUrl}/devices/${toSerial(device)}/config-reports`, {
      method: 'POST',
      body: JSON.stringify({
        measurementPeriodBase: 60,
        measurementPeriodFactor: 1,
        transmissionInterval: 3_600,
      }),
      headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' },
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`a report was answered ${statusCode}`);
    latenciesMs.push(performance.now() - sentAt);
  }
}
