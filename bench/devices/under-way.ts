/** The cost of a frame while every device has a pending change. */
import type { Fleet } from '../support/fleet.ts';
import { percentile } from '../support/percentile.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable, round as toDigits } from '../support/table.ts';
import { connectLoggers, countTransactions, type DeviceBench } from './device-bench.ts';

const DEVICES = 100_000;
const LOAD = { perSecond: 500, seconds: 15 };
const INTERVALS = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 3_600 };

export async function benchUnderWay(bench: DeviceBench): Promise<void> {
  const fleet = await bench.stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const rows = [await measureFrames(bench, fleet, { name: 'nothing pending', round: 0 })];
  await applyToAll(bench, fleet);
  rows.push(await measureFrames(bench, fleet, { name: 'a job for all is running', round: 40 }));
  printTable(
    `${DEVICES} devices, frames at ${LOAD.perSecond}/s`,
    ['', 'frames', 'ACK p50 ms', 'ACK p99 ms', 'lost', 'transactions per frame'],
    rows,
  );
}

async function applyToAll({ stack }: DeviceBench, { apiKey }: Fleet): Promise<void> {
  const send = (method: string, path: string, body: object) =>
    fetch(stack.apiUrl + path, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    });
  await send('POST', '/devices/config-profiles', { slug: 'intervals', intervals: INTERVALS });
  const applied = await send('PUT', '/devices/config-profiles/intervals/apply', { applyToAll: true });
  if (applied.status !== 200) throw new Error(`apply answered ${applied.status}`);
}

async function measureFrames(
  bench: DeviceBench,
  fleet: Fleet,
  { name, round }: { name: string; round: number },
): Promise<Cell[]> {
  const loggers = await connectLoggers(bench, fleet);
  const before = await countTransactions(bench);
  const { latenciesMs, lost, refused } = await loggers.openLoop(LOAD.perSecond, {
    devices: DEVICES,
    seconds: LOAD.seconds,
    round,
  });
  const transactions = (await countTransactions(bench)) - before;
  loggers.close();
  return [
    name,
    latenciesMs.length,
    percentile(latenciesMs, 0.5),
    percentile(latenciesMs, 0.99),
    lost + refused,
    toDigits(transactions / latenciesMs.length, 2),
  ];
}
