/** One reading a request over HTTP, stored, and received as a webhook, below saturation. */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { keepFigures } from '../support/figures.ts';
import type { Fleet } from '../support/fleet.ts';
import { cpuSeconds, descendantsCpuSeconds } from '../support/process-usage.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';
import { readReceived, subscribe, untilDelivered } from './webhooks.ts';

export const SENDING_DEVICES = 10_000;
const RATES = [20, 200, 500, 1_000];
const STEADY_SECONDS = { warmUp: 2, measured: 10 };
/** Each device has sent: the first message of one costs more. */
const WARM_UP = { perSecond: 1_000, seconds: (SENDING_DEVICES * 1.2) / 1_000 };

export async function benchEndToEnd(bench: DeviceBench): Promise<void> {
  const fleet = await bench.stack.addFleet(SENDING_DEVICES, { serialSql: SERIAL_SQL });
  await subscribe(bench, fleet, '/readings');
  const send = createSender(bench, fleet);
  const steady: Cell[][] = [];
  await warmUp(send);
  for (const perSecond of RATES) steady.push(await measureSteady(bench, send, perSecond));
  printTable(
    'HTTP in, stored, webhook received, one reading each, one endpoint; from before the request to the receipt',
    ['requests/s', 'webhooks', 'p50 ms', 'p95 ms', 'p99 ms', ...CPU_HEADINGS, 'disk flush p50 ms', 'p95 ms'],
    steady,
  );
}

export const CPU_HEADINGS = ['CPU s per 1,000', 'API', 'worker', 'PostgreSQL'];

export type Send = () => Promise<void>;

let sent = 0;

/** For the next device; `sentAtOf` of the sink explains how it carries the time. */
export function nextRequest({ deviceToken }: Fleet) {
  const atMs = performance.timeOrigin + performance.now();
  const measuredAt = new Date(Math.floor(atMs)).toISOString();
  const value = Math.floor((atMs % 1) * 10) / 10;
  return {
    method: 'POST' as const,
    path: `/devices/${toSerial((sent++ % SENDING_DEVICES) + 1)}/measurements`,
    headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings: [{ channel: 1, type: 'temperature', value, measuredAt }] }),
  };
}

export function createSender({ stack }: DeviceBench, fleet: Fleet): Send {
  const dispatcher = new Agent({ connections: 64 });
  return async () => {
    const { path, ...options } = nextRequest(fleet);
    const { statusCode, body } = await request(stack.apiUrl + path, { ...options, dispatcher });
    await body.dump();
    if (statusCode !== 202) throw new Error(`${path} answered ${statusCode}`);
  };
}

export async function sendAt(send: Send, perSecond: number, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const sending: Array<Promise<void>> = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const dueInMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await delay(dueInMs);
    sending.push(send());
  }
  await Promise.all(sending);
  return sending.length;
}

export const warmUp = (send: Send): Promise<number> => sendAt(send, WARM_UP.perSecond, WARM_UP.seconds);

async function measureSteady(bench: DeviceBench, send: Send, perSecond: number): Promise<Cell[]> {
  await sendAt(send, perSecond, STEADY_SECONDS.warmUp);
  await untilDelivered(bench);
  await readReceived(bench);
  const disk = await bench.stack.watchDisk();
  const cpuBefore = readCpu(bench);
  const count = await sendAt(send, perSecond, STEADY_SECONDS.measured);
  await untilDelivered(bench);
  const cpu = cpuPer1000(bench, cpuBefore, count);
  const flushes = await disk.stop();
  const received = await readReceived(bench);
  if (received.count !== count) throw new Error(`${received.count} webhooks came of ${count}`);
  const [p50, p95, p99] = [received.p50, received.p95, received.p99].map((ms) => round(ms));
  keepFigures({ [`endToEnd.p50.${perSecond}`]: p50 ?? 0, [`endToEnd.p95.${perSecond}`]: p95 ?? 0 });
  const flush = (share: number) => round(flushes[Math.floor(flushes.length * share)] ?? 0);
  return [perSecond, count, p50 ?? 0, p95 ?? 0, p99 ?? 0, ...cpu, flush(0.5), flush(0.95)];
}

export const readCpu = ({ stack }: DeviceBench): number[] => [
  cpuSeconds(stack.api.pid as number),
  cpuSeconds(stack.worker.pid as number),
  descendantsCpuSeconds('postgres'),
];

export function cpuPer1000(bench: DeviceBench, before: number[], count: number): number[] {
  const used = readCpu(bench).map((after, index) => ((after - (before[index] as number)) / count) * 1000);
  return [used.reduce((sum, each) => sum + each, 0), ...used].map((each) => round(each, 3));
}
