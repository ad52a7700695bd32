/**
 * Hourly loggers over a day's boundary, in two hours pressed into minutes: what the write-ahead log takes with
 * the full pages that follow each checkpoint, what the disk takes, and how long loggers wait. Each frame is followed by
 * a look of the sweep, which moves the check of its logger to the new deadline.
 *
 * CADENCE_DEVICES: loggers (default: 100,000). CADENCE_PER_SECOND: frames (default: 1,000).
 */
import { request } from 'undici';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import type { Database } from '../../src/db/database.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { createPresenceRepository } from '../../src/presence/presence.repository.ts';
import { nextDeadline } from '../../src/presence/presence.ts';
import { inSlices } from '../../src/process/pages.ts';
import { keepFigures } from '../support/figures.ts';
import type { Fleet } from '../support/fleet.ts';
import { type Acknowledged, createLoggers } from '../support/loggers.ts';
import { percentile } from '../support/percentile.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { printTable, round } from '../support/table.ts';
import { findLogPosition, logRows, measureLog, readLog } from '../support/write-ahead-log.ts';
import { ackMsMax, type DeviceBench } from './device-bench.ts';

const DEVICES = Number(process.env.CADENCE_DEVICES ?? 100_000);
/** Each of two channels. */
const SAMPLES = { count: 12, periodSeconds: 300 };
const READINGS_PER_FRAME = SAMPLES.count * 2;
const HOUR_SECONDS = SAMPLES.count * SAMPLES.periodSeconds;
/**
 * Already stored when the bench begins, by each device another number of them: pages of indexes that fill up at
 * the same time would be split at the same time.
 */
const HOURS_BEFORE = { least: 24, most: 48 };
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
    samples: { ...SAMPLES, startSeconds: midnight / 1000 - 2 * HOUR_SECONDS },
  });
  const perQuarter = DEVICES / CHECKPOINTS_PER_HOUR;
  /** Quarters count from the hour of the warm-up. */
  const quarter = (index: number) =>
    loggers.openLoop(PER_SECOND, {
      devices: DEVICES,
      seconds: perQuarter / PER_SECOND,
      round: Math.floor(index / CHECKPOINTS_PER_HOUR),
      order: (frame) => toShuffled((index % CHECKPOINTS_PER_HOUR) * perQuarter + frame),
    });
  process.stderr.write('Warm-up: the first frame of a device writes more\n');
  for (let index = 0; index < CHECKPOINTS_PER_HOUR; index++) await quarter(index);
  // First frames make rows larger. Their pages then have as much room as those of a fleet that has run for long.
  await sql.raw('vacuum full analyze device_states');
  await sql.raw('vacuum analyze device_configs, device_settings');
  const bytesBefore = await findBytes(sql);
  const from = await findLogPosition(sql);
  const cpuBefore = cpuSeconds(bench.gateway.pid as number);
  const disk = await stack.watchDisk();
  const sent: Acknowledged[] = [];
  let checkBytes = 0;
  for (let index = 0; index < HOURS * CHECKPOINTS_PER_HOUR; index++) {
    await sql.raw('checkpoint');
    process.stderr.write(`Quarter ${index + 1} of ${HOURS * CHECKPOINTS_PER_HOUR}\n`);
    const startedAt = new Date();
    sent.push(await quarter(CHECKPOINTS_PER_HOUR + index));
    checkBytes += await measureLog(sql, () => moveChecks(sql, deadlineAfter(startedAt)));
  }
  const flushes = await disk.stop();
  const cpu = cpuSeconds(bench.gateway.pid as number) - cpuBefore;
  const to = await findLogPosition(sql);
  loggers.close();
  const frames = sent.reduce((total, { latenciesMs }) => total + latenciesMs.length, 0);
  const readings = frames * READINGS_PER_FRAME;
  const latenciesMs = sent.flatMap((each) => each.latenciesMs).sort((a, b) => a - b);
  const diskBytes = ((await findBytes(sql)) - bytesBefore) / readings;
  const logged = await readLog(sql, from, to);
  keepFigures({
    'cadence.walBytes': round(logged.reduce((sum, { bytes }) => sum + bytes, 0) / readings),
    'cadence.diskBytes': round(diskBytes),
    'cadence.ackP99ToBound': round(percentile(latenciesMs, 0.99) / ackMsMax(percentile(flushes, 0.99)), 2),
  });
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
        round(diskBytes),
      ],
    ],
  );
  const pages = await readDays(stack.apiUrl, sql, fleet, midnight);
  printTable(
    `The history of one device: the day before the last hour, on one page, ${READERS} devices`,
    ['p50 ms', 'p95 ms'],
    [[percentile(pages, 0.5), percentile(pages, 0.95)]],
  );
  printTable(
    `Write-ahead log, bytes a reading, of which ${round(checkBytes / readings)} for checks`,
    ['', 'bytes', 'of which full pages'],
    logRows(logged, readings),
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
  const { least, most } = HOURS_BEFORE;
  process.stderr.write(`Loading about ${(DEVICES * (least + most) * READINGS_PER_FRAME) / 2} readings\n`);
  const first = new Date(midnight - (most + 2) * HOUR_SECONDS * 1000);
  await createPartitionKeeper(sql, MEASUREMENTS).ensure([first, new Date(midnight)]);
  await query(
    sql,
    `insert into measurement_blocks
       (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps, period_seconds,
         fresh_hour)
     select a.organization_id, a.id, at, at + interval '55 minutes', at + interval '56 minutes', channel, channel, 1,
       false, (select array_agg(40 + (hour * 12 + g) % 30) from generate_series(1, 12) g)::smallint[], 300,
       floor(extract(epoch from at) / 3600)
     from generate_series(${most}, 1, -1) hour,
       lateral (select ?::timestamptz - (hour + 2) * interval '1 hour' as at) as f,
       assets a, generate_series(1, 2) channel
     where a.organization_id = ? and hour <= ${least} + abs(hashtext(a.id::text)) % ${most - least}`,
    [new Date(midnight), organizationId],
  );
  await query(
    sql,
    `update device_states set uncompacted_from = ?, fresh_from = ?, last_reading_from = ?, last_reading_at = ?, latest_measured_at = ?
     where organization_id = ?`,
    [
      first,
      first,
      ...Array.from({ length: 3 }, () => new Date(midnight - (2 * HOUR_SECONDS + 300) * 1000)),
      organizationId,
    ],
  );
  await sql.raw('vacuum analyze device_states, measurement_blocks');
}

/** The deadline of loggers that announce the next frame and have reported no configuration. */
const deadlineAfter = (frameAt: Date): Date =>
  nextDeadline(frameAt, null, new Date(frameAt.getTime() + HOUR_SECONDS * 1000)) as Date;

const MOVED_PER_LOOK = 500;

/** The work of the sweep at that time, for loggers that have sent since their check was planned. */
async function moveChecks(sql: Database, now: Date): Promise<void> {
  const { listDueChecks, postponeChecks } = createPresenceRepository(sql);
  const look = { now, outages: [], isOngoing: false };
  const due = await listDueChecks({ ...look, limit: 2_147_483_647 });
  for (const batch of inSlices(due, MOVED_PER_LOOK)) await postponeChecks(look, batch);
}

const READERS = 300;

/** Milliseconds of each page, sorted. */
async function readDays(apiUrl: string, sql: Database, fleet: Fleet, midnight: number): Promise<number[]> {
  const assets = await query<{ id: string }>(
    sql,
    'select id from assets where organization_id = ? order by md5(id::text) limit ?',
    [fleet.organizationId, READERS],
  );
  const from = new Date(midnight - 23 * HOUR_SECONDS * 1000).toISOString();
  const headers = { authorization: `Bearer ${fleet.apiKey}` };
  const times: number[] = [];
  for (const { id } of assets) {
    const startedAt = performance.now();
    const answer = await request(`${apiUrl}/assets/${id}/measurements?from=${from}&limit=500`, { headers });
    const { items } = (await answer.body.json()) as { items: unknown[] };
    if (items.length !== 500) throw new Error(`${items.length} readings of asset ${id}`);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b);
}

async function findBytes(sql: Database): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    sql,
    `select sum(pg_total_relation_size(relid))::float8 as bytes
     from pg_partition_tree('measurement_blocks') where isleaf`,
  );
  return row?.bytes ?? 0;
}
