/**
 * What one event costs when few come: processor time of each process with the idle service subtracted, and the
 * statements of PostgreSQL. One reading a request over HTTP, one endpoint.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { keepFigures } from '../support/figures.ts';
import { cpuSeconds, descendantsCpuSeconds } from '../support/process-usage.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { forgetStatements, readStatements, recordStatements } from '../support/statement-times.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';
import { createSender, SENDING_DEVICES, type Send, sendAt, warmUp } from './end-to-end.ts';
import { readReceived, subscribe, untilDelivered } from './webhooks.ts';

const RATES = [20, 200];
const SECONDS = { warmUp: 5, measured: 30, idle: 30 };
const LISTED_STATEMENTS = 14;
const STATEMENT_CHARACTERS = 90;
const PROCESSES = ['API', 'worker', 'PostgreSQL', 'Temporal'];

export async function benchLone(bench: DeviceBench): Promise<void> {
  const { sql } = bench.stack;
  const fleet = await bench.stack.addFleet(SENDING_DEVICES, { serialSql: SERIAL_SQL });
  await subscribe(bench, fleet, '/readings');
  const send = createSender(bench, fleet);
  await warmUp(send);
  await untilDelivered(bench);
  const idle = await measureIdle(bench);
  const rows: Cell[][] = [];
  for (const perSecond of RATES) rows.push(await measure(bench, send, perSecond, idle));
  const idleService = idle.slice(0, PROCESSES.indexOf('Temporal')).reduce((sum, each) => sum + each, 0);
  keepFigures({ 'lone.idlePercent': round(idleService * 100, 2) });
  printTable('Share of a core of the idle service, %', PROCESSES, [
    idle.map((perSecond) => round(perSecond * 100, 2)),
  ]);
  printTable(
    'Processor ms an event, idle subtracted; one reading a request, one endpoint',
    ['events/s', 'API, worker and PostgreSQL', ...PROCESSES, 'webhook p50 ms', 'p95 ms'],
    rows,
  );
  await recordStatements(sql, true);
  await listIdleStatements(bench);
  for (const perSecond of RATES) await listStatements(bench, send, perSecond);
}

async function measureIdle(bench: DeviceBench): Promise<number[]> {
  await delay(SECONDS.warmUp * 1000);
  const before = readCpu(bench);
  await delay(SECONDS.idle * 1000);
  return readCpu(bench).map((after, index) => (after - (before[index] as number)) / SECONDS.idle);
}

async function measure(bench: DeviceBench, send: Send, perSecond: number, idle: number[]): Promise<Cell[]> {
  await sendAt(send, perSecond, SECONDS.warmUp);
  await untilDelivered(bench);
  await readReceived(bench);
  const before = readCpu(bench);
  const startedAt = performance.now();
  const count = await sendAt(send, perSecond, SECONDS.measured);
  await untilDelivered(bench);
  const seconds = (performance.now() - startedAt) / 1000;
  const msOf = readCpu(bench).map(
    (after, index) =>
      ((after - (before[index] as number) - (idle[index] as number) * seconds) * 1000) / count,
  );
  const [api = 0, worker = 0, postgres = 0] = msOf;
  const { p50, p95 } = await readReceived(bench);
  keepFigures({ [`lone.cpuMs.${perSecond}`]: round(api + worker + postgres, 2) });
  return [
    perSecond,
    round(api + worker + postgres, 2),
    ...msOf.map((ms) => round(ms, 2)),
    round(p50),
    round(p95),
  ];
}

async function listStatements(bench: DeviceBench, send: Send, perSecond: number): Promise<void> {
  await sendAt(send, perSecond, SECONDS.warmUp);
  await untilDelivered(bench);
  await forgetStatements(bench.stack.sql);
  const count = await sendAt(send, perSecond, SECONDS.measured);
  await printStatements(bench, { title: `Statements at ${perSecond} events/s`, per: 'an event', count });
}

async function listIdleStatements(bench: DeviceBench): Promise<void> {
  await forgetStatements(bench.stack.sql);
  await delay(SECONDS.idle * 1000);
  await printStatements(bench, {
    title: 'Statements of the idle service',
    per: 'a second',
    count: SECONDS.idle,
  });
}

async function printStatements(
  { stack: { sql } }: DeviceBench,
  { title, per, count }: { title: string; per: string; count: number },
): Promise<void> {
  const found = await readStatements(sql);
  const rowOf = (text: string, calls: number, ms: number): Cell[] => [
    text,
    round(calls / count, 2),
    calls === 0 ? 0 : round(ms / calls, 3),
    round(ms / count, 3),
  ];
  const sum = (field: 'calls' | 'ms') => found.reduce((total, each) => total + each[field], 0);
  printTable(
    title,
    ['statement', `calls ${per}`, 'ms a call', `ms ${per}`],
    [
      ...found.slice(0, LISTED_STATEMENTS).map(({ text, calls, ms }) => rowOf(shorten(text), calls, ms)),
      rowOf('together', sum('calls'), sum('ms')),
    ],
  );
}

const shorten = (text: string): string =>
  text.length > STATEMENT_CHARACTERS ? `${text.slice(0, STATEMENT_CHARACTERS - 1)}…` : text;

const readCpu = ({ stack }: DeviceBench): number[] => [
  cpuSeconds(stack.api.pid as number),
  cpuSeconds(stack.worker.pid as number),
  descendantsCpuSeconds('postgres'),
  descendantsCpuSeconds('temporal'),
];
