/**
 * Hourly loggers over a day's boundary, in two hours pressed into minutes: what the write-ahead log takes with
 * the full pages that follow each checkpoint, what the disk takes, and how long loggers wait.
 *
 * CADENCE_DEVICES: loggers (default: 100,000).
 */
import type { Database } from '../../src/db/database.ts';
import { createPartitionKeeper, MEASUREMENTS } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import type { Fleet } from '../support/fleet.ts';
import { type Acknowledged, createLoggers } from '../support/loggers.ts';
import { percentile } from '../support/percentile.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { printTable, round } from '../support/table.ts';
import { findLogPosition, logRows, readLog } from '../support/write-ahead-log.ts';
import type { DeviceBench } from './device-bench.ts';

const DEVICES = Number(process.env.CADENCE_DEVICES ?? 100_000);
/** Each of two channels. */
const SAMPLES = { count: 12, periodSeconds: 300 };
const READINGS_PER_FRAME = SAMPLES.count * 2;
const HOUR_SECONDS = SAMPLES.count * SAMPLES.periodSeconds;
/** Already stored when the bench begins: an index of one hour alone would be all in few pages. */
const HOURS_BEFORE = 24;
const HOURS = 2;
/** One every 15 minutes of the loggers, as PostgreSQL is set. */
const CHECKPOINTS_PER_HOUR = 4;
const PER_SECOND = Number(process.env.CADENCE_PER_SECOND ?? 1_000);

export async function benchCadence(bench: DeviceBench): Promise<void> {
  const { stack } = bench;
  const { sql } = stack;
  const midnight = lastMidnight();
  const fleet = await stack.addFleet(DEVICES, { serialSql: SERIAL_SQL, isOnline: true });
  await loadHours(sql, fleet, midnight);
  await sql.raw("alter system set wal_keep_size = '16GB'");
  await query(sql, 'select pg_reload_conf()');
  const loggers = await createLoggers({
    port: bench.coapPort,
    token: fleet.deviceToken,
    toSerial,
    samples: { ...SAMPLES, startSeconds: midnight / 1000 - HOUR_SECONDS },
  });
  const perQuarter = DEVICES / CHECKPOINTS_PER_HOUR;
  const quarter = (index: number) =>
    loggers.openLoop(PER_SECOND, {
      devices: DEVICES,
      seconds: perQuarter / PER_SECOND,
      round: Math.floor(index / CHECKPOINTS_PER_HOUR),
      order: (frame) => toShuffled((index % CHECKPOINTS_PER_HOUR) * perQuarter + frame),
    });
  const bytesBefore = await findBytes(sql);
  const from = await findLogPosition(sql);
  const cpuBefore = cpuSeconds(bench.gateway.pid as number);
  const disk = await stack.watchDisk();
  const sent: Acknowledged[] = [];
  for (let index = 0; index < HOURS * CHECKPOINTS_PER_HOUR; index++) {
    await sql.raw('checkpoint');
    process.stderr.write(`Quarter ${index + 1} of ${HOURS * CHECKPOINTS_PER_HOUR}\n`);
    sent.push(await quarter(index));
  }
  const flushes = await disk.stop();
  const cpu = cpuSeconds(bench.gateway.pid as number) - cpuBefore;
  const to = await findLogPosition(sql);
  loggers.close();
  const frames = sent.reduce((total, { latenciesMs }) => total + latenciesMs.length, 0);
  const readings = frames * READINGS_PER_FRAME;
  const latenciesMs = sent.flatMap((each) => each.latenciesMs).sort((a, b) => a - b);
  printTable(
    `${DEVICES} hourly loggers, frames of 12 + 12 at ${PER_SECOND}/s, ${HOURS} hours over midnight with a checkpoint each quarter`,
    [
      'frames',
      'lost',
      'refused',
      'ACK p50 ms',
      'p99 ms',
      'most ms',
      'flush p99 ms',
      'gateway ms a frame',
      'disk B a reading',
    ],
    [
      [
        frames,
        sent.reduce((total, { lost }) => total + lost, 0),
        sent.reduce((total, { refused }) => total + refused, 0),
        percentile(latenciesMs, 0.5),
        percentile(latenciesMs, 0.99),
        round(latenciesMs.at(-1) ?? 0),
        percentile(flushes, 0.99),
        round((cpu * 1000) / frames, 2),
        round(((await findBytes(sql)) - bytesBefore) / readings),
      ],
    ],
  );
  printTable(
    'Write-ahead log, bytes a reading',
    ['', 'bytes', 'of which full pages'],
    logRows(await readLog(sql, from, to), readings),
  );
}

/** The last one that was at least an hour ago: readings of the future are refused. */
function lastMidnight(): number {
  const hourAgo = new Date(Date.now() - HOUR_SECONDS * 1000);
  return hourAgo.setUTCHours(0, 0, 0, 0);
}

/** Neighbours in the index seldom send one after the other. Any prime above the number of devices reaches all. */
const toShuffled = (index: number): number => ((index * 1_000_003) % DEVICES) + 1;

/** As loggers have sent them: hour by hour, and within an hour in the order of their ids. */
async function loadHours(sql: Database, { organizationId }: Fleet, midnight: number): Promise<void> {
  process.stderr.write(`Loading ${DEVICES * HOURS_BEFORE * READINGS_PER_FRAME} readings\n`);
  const dayBefore = new Date(midnight - (HOURS_BEFORE + 1) * HOUR_SECONDS * 1000);
  await createPartitionKeeper(sql, MEASUREMENTS).ensure([dayBefore, new Date(midnight)]);
  await query(
    sql,
    `insert into measurement_blocks
       (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps, period_seconds)
     select a.organization_id, a.id, at, at + interval '55 minutes', at + interval '56 minutes', channel, channel, 1,
       false, (select array_agg(40 + (hour * 12 + g) % 30) from generate_series(1, 12) g)::smallint[], 300
     from generate_series(${HOURS_BEFORE}, 1, -1) hour,
       lateral (select ?::timestamptz - (hour + 1) * interval '1 hour' as at) as f,
       assets a, generate_series(1, 2) channel
     where a.organization_id = ?`,
    [new Date(midnight), organizationId],
  );
  await sql.raw('vacuum analyze measurement_blocks');
}

async function findBytes(sql: Database): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    sql,
    `select sum(pg_total_relation_size(relid))::float8 as bytes
     from pg_partition_tree('measurement_blocks') where isleaf`,
  );
  return row?.bytes ?? 0;
}
