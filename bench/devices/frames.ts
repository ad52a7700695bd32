/** Confirmable frames over CoAP: at a steady rate, without and with webhooks, and saturated. */
import { query } from '../../src/db/query.ts';
import { keepFigures } from '../support/figures.ts';
import { type Loggers, SAMPLES_PER_FRAME } from '../support/loggers.ts';
import { percentile } from '../support/percentile.ts';
import { cpuSeconds, peakMb } from '../support/process-usage.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { ackMsMax, connectLoggers, countReadings, type DeviceBench } from './device-bench.ts';
import { readReceived, subscribe, untilDelivered } from './webhooks.ts';

const DEVICES = 10_000;
const SATURATED = { frames: 30_000, warmUpFrames: 10_000, underWay: 400, runs: 3 };
const STEADY = { perSecond: 1_000, warmUpSeconds: 10, seconds: 20 };
/** Frames per device between two rows, more than one row of the steady bench sends. */
const ROUNDS_APART = 20;

/** Below saturation first, because the disk work left by a burst would otherwise count. */
export async function benchFrames(bench: DeviceBench): Promise<void> {
  await benchSteady(bench);
  await benchSaturated(bench);
}

async function benchSteady(bench: DeviceBench): Promise<void> {
  const fleet = await bench.stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const loggers = await connectLoggers(bench, fleet);
  const rows = [await measureSteady(bench, loggers, { name: 'no webhook', firstRound: 0, webhooks: 0 })];
  await subscribe(bench, fleet);
  await subscribe(bench, fleet);
  const withWebhooks = { name: 'two cellular webhooks', firstRound: 2 * ROUNDS_APART, webhooks: 2 };
  rows.push(await measureSteady(bench, loggers, withWebhooks));
  loggers.close();
  printTable(
    `CON frames of 10 + 10 samples at ${STEADY.perSecond}/s, stored before the ACK, ${DEVICES} devices, after ${STEADY.warmUpSeconds} s of warm-up`,
    [
      '',
      'frames/s',
      'ACK p50 ms',
      'p99 ms',
      'lost',
      'readings stored',
      'webhooks',
      'p50 ms',
      'p95 ms',
      'disk flush p99 ms',
      'most ms',
    ],
    rows,
  );
}

interface SteadyRow {
  name: string;
  firstRound: number;
  webhooks: number;
}

async function measureSteady(
  bench: DeviceBench,
  loggers: Loggers,
  { name, firstRound, webhooks }: SteadyRow,
): Promise<Cell[]> {
  const { perSecond, warmUpSeconds, seconds } = STEADY;
  await loggers.openLoop(perSecond, { devices: DEVICES, seconds: warmUpSeconds, round: firstRound });
  await untilDelivered(bench);
  await readReceived(bench);
  const before = await countReadings(bench);
  const disk = await bench.stack.watchDisk();
  const round = firstRound + ROUNDS_APART;
  const result = await loggers.openLoop(perSecond, { devices: DEVICES, seconds, round });
  const flushes = await disk.stop();
  await untilDelivered(bench);
  const received = await readReceived(bench);
  const sent = result.latenciesMs.length;
  if (received.count !== sent * webhooks) {
    throw new Error(`${received.count} webhooks came of ${sent * webhooks}`);
  }
  const ackP99 = percentile(result.latenciesMs, 0.99);
  if (webhooks > 0) {
    keepFigures({
      'frames.ackP99ToBound': toHundredths(ackP99 / ackMsMax(percentile(flushes, 0.99))),
      'frames.webhookP95': toTenths(received.p95),
    });
  }
  return [
    name,
    Math.round(sent / result.seconds),
    percentile(result.latenciesMs, 0.5),
    ackP99,
    result.lost + result.refused,
    describeStored((await countReadings(bench)) - before, sent),
    received.count,
    webhooks > 0 ? toTenths(received.p50) : '',
    webhooks > 0 ? toTenths(received.p95) : '',
    percentile(flushes, 0.99),
    toTenths(flushes.at(-1) ?? 0),
  ];
}

async function benchSaturated(bench: DeviceBench): Promise<void> {
  const fleet = await bench.stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const loggers = await connectLoggers(bench, fleet);
  const { frames, warmUpFrames, underWay, runs } = SATURATED;
  await loggers.closedLoop(warmUpFrames, { devices: DEVICES, underWay, round: 0 });
  const rows: Cell[][] = [];
  for (let run = 1; run <= runs; run++) rows.push(await measureSaturated(bench, loggers, run));
  loggers.close();
  printTable(
    `The same saturated: ${frames} frames, ${underWay} under way at any time`,
    [
      'frames/s',
      'ACK p50 ms',
      'p99 ms',
      'lost',
      'readings stored',
      'disk B a reading',
      'WAL B a reading',
      'gateway CPU ms each',
      'gateway peak MB',
    ],
    rows,
  );
}

async function measureSaturated(bench: DeviceBench, loggers: Loggers, run: number): Promise<Cell[]> {
  const pid = bench.gateway.pid as number;
  const { frames, underWay } = SATURATED;
  const before = await countReadings(bench);
  const diskBefore = await measureDisk(bench);
  const cpuBefore = cpuSeconds(pid);
  const result = await loggers.closedLoop(frames, { devices: DEVICES, underWay, round: run * 10 });
  const disk = await measureDisk(bench);
  const sent = result.latenciesMs.length;
  const perSecond = Math.round(sent / result.seconds);
  keepFigures({ 'frames.perSecond': perSecond });
  const perReading = (bytes: number) => toTenths(bytes / (sent * SAMPLES_PER_FRAME));
  return [
    perSecond,
    percentile(result.latenciesMs, 0.5),
    percentile(result.latenciesMs, 0.99),
    result.lost + result.refused,
    describeStored((await countReadings(bench)) - before, sent),
    perReading(disk.stored - diskBefore.stored),
    perReading(disk.logged - diskBefore.logged),
    toHundredths(((cpuSeconds(pid) - cpuBefore) / frames) * 1000),
    peakMb(pid),
  ];
}

/** Bytes of readings with their indexes, and of the whole write-ahead log. */
async function measureDisk({ stack }: DeviceBench): Promise<{ stored: number; logged: number }> {
  const [row] = await query<{ stored: number; logged: number }>(
    stack.sql,
    `select sum(pg_total_relation_size(relid))::float8 as stored,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as logged
     from pg_partition_tree('measurement_blocks') where isleaf`,
  );
  return row ?? { stored: 0, logged: 0 };
}

const toTenths = (value: number) => round(value, 1);
const toHundredths = (value: number) => round(value, 2);

const describeStored = (stored: number, sent: number) =>
  stored === sent * SAMPLES_PER_FRAME ? 'all' : `${stored} of ${sent * SAMPLES_PER_FRAME}`;
