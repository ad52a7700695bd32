/**
 * `npm run bench:figures [-- steady lone …]`: the figures that this project promises itself, each with its bar and,
 * where somebody measured it, with what another service did.
 *
 * Takes about two hours in all, most of it for `memory` and `held`. The machine should do nothing else.
 *
 * PEER_RESULTS: a JSON file with figures of another service, by the names below.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Figures } from './support/figures.ts';
import { runBench } from './support/run-bench.ts';
import { type Cell, printTable } from './support/table.ts';

interface Bar {
  figure: string;
  what: string;
  unit: string;
  atLeast?: number;
  atMost?: number;
}

const RATES = [20, 200, 500, 1_000];

const BENCHES: Record<string, { args: string[]; bars: Bar[] }> = {
  steady: {
    args: ['bench/steady.ts'],
    bars: [
      bar('steady.least', 'Webhooks of readings, saturated, the slowest of ten runs', '/s', {
        atLeast: 5_000,
      }),
      bar('steady.maxToMin', 'The fastest of ten runs, some after heavy disk work, to the slowest', '×', {
        atMost: 1.3,
      }),
    ],
  },
  saturated: {
    args: ['bench/devices.ts', 'saturated'],
    bars: [
      bar('saturated.perSecond', 'Webhooks of readings, saturated', '/s', { atLeast: 5_000 }),
      bar('saturated.cpuPer1000', 'Processor time of 1,000 of them', 's', { atMost: 0.3 }),
    ],
  },
  lone: {
    args: ['bench/devices.ts', 'lone'],
    bars: [
      bar('lone.cpuMs.20', 'Processor time of one event, at 20/s', 'ms', { atMost: 1.8 }),
      bar('lone.cpuMs.200', 'Processor time of one event, at 200/s', 'ms', { atMost: 1.8 }),
      bar('lone.idlePercent', 'The idle service, share of a core', '%', { atMost: 2 }),
    ],
  },
  cadence: {
    args: ['bench/devices.ts', 'cadence'],
    bars: [
      bar('cadence.walBytes', 'Write-ahead log of one reading of hourly loggers', 'B', { atMost: 60 }),
      bar('cadence.diskBytes', 'Disk of one of their fresh readings', 'B', { atMost: 25 }),
      bar('cadence.ackP99ToBound', 'ACK p99 to 2 × flush p99 + 5 ms, hourly loggers', '×', { atMost: 1 }),
    ],
  },
  'end-to-end': {
    args: ['bench/devices.ts', 'end-to-end'],
    bars: RATES.flatMap((rate) => [
      bar(`endToEnd.p50.${rate}`, `Request to received webhook at ${rate}/s, p50`, 'ms', { atMost: 4 }),
      bar(`endToEnd.p95.${rate}`, `Request to received webhook at ${rate}/s, p95`, 'ms', { atMost: 8 }),
    ]),
  },
  frames: {
    args: ['bench/devices.ts', 'frames'],
    bars: [
      bar('frames.perSecond', 'Frames of 10 + 10 readings, saturated', '/s', { atLeast: 8_000 }),
      bar('frames.ackP99ToBound', 'ACK p99 to 2 × flush p99 + 5 ms at 1,000/s with two webhooks', '×', {
        atMost: 1,
      }),
      bar('frames.webhookP95', 'Their webhooks, p95', 'ms', { atMost: 20 }),
    ],
  },
  http: {
    args: ['bench/devices.ts', 'http'],
    bars: [bar('http.percentOfBare', 'Readings over HTTP, share of bare Koa', '%', { atLeast: 30 })],
  },
  apply: {
    args: ['bench/run.ts', 'apply'],
    bars: [
      bar('apply.answeredMs', 'An apply to 100,000 devices, answered', 'ms', { atMost: 2_000 }),
      bar('apply.offeredMs', 'All of them offered it', 'ms', { atMost: 6_000 }),
    ],
  },
  'beside-apply': {
    args: ['bench/devices.ts', 'beside-apply'],
    bars: [bar('besideApply.ackP99ToQuiet', 'ACK p99 of others meanwhile, to quiet', '×', { atMost: 2 })],
  },
  sweeps: {
    args: ['bench/size.ts', 'sweeps'],
    bars: [
      bar('sweeps.slowestMs', 'The slowest periodic statement, large installation', 'ms', { atMost: 50 }),
    ],
  },
  held: {
    args: ['bench/delivery.ts', 'held-snapshot'],
    bars: [
      bar('held.claimMs', 'A claim of deliveries while a snapshot is held', 'ms', { atMost: 5 }),
      bar('held.p95ToQuiet', 'Webhooks p95 meanwhile, to quiet', '×', { atMost: 2 }),
    ],
  },
  memory: {
    args: ['bench/devices.ts', 'memory'],
    bars: [
      bar('memory.mb', 'API, worker and gateway after an hour at 500/s', 'MB', { atMost: 450 }),
      bar('memory.growthMb', 'Growth in the second half of it', 'MB', { atMost: 20 }),
    ],
  },
};

function bar(figure: string, what: string, unit: string, bounds: Pick<Bar, 'atLeast' | 'atMost'>): Bar {
  return { figure, what, unit, ...bounds };
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  process.stderr.write(`No figures ${unknown.join(', ')}: choose among ${Object.keys(BENCHES).join(', ')}\n`);
  process.exit(2);
}
const chosen = Object.entries(BENCHES).filter(([name]) => names.length === 0 || names.includes(name));
const peer: Figures = process.env.PEER_RESULTS
  ? JSON.parse(readFileSync(process.env.PEER_RESULTS, 'utf8'))
  : {};

let isBuilt = '';
const rows: Cell[][] = [];
for (const [name, { args, bars }] of chosen) {
  process.stderr.write(`\n${name}\n`);
  const figures = await runBench(args, { BENCH_IS_BUILT: isBuilt });
  isBuilt = '1';
  for (const each of bars) rows.push(toRow(each, figures));
}
printTable(
  `Figures at ${describeCommit()}, on ${cpus().length} cores with ${Math.round(totalmem() / 2 ** 30)} GiB`,
  ['figure', 'bar', 'measured', '', 'peer'],
  rows,
);

function toRow({ figure, what, unit, atLeast, atMost }: Bar, figures: Figures): Cell[] {
  const value = figures[figure];
  if (value === undefined) throw new Error(`No bench kept the figure ${figure}`);
  const holds =
    value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY);
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return [what, `${bound} ${unit}`, `${value} ${unit}`, holds ? 'met' : 'NOT MET', peer[figure] ?? ''];
}

function describeCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' and changes');
}
