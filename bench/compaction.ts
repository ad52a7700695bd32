/** `npm run bench:compaction`: a month of readings, stored and compacted day by day, as the service does. */
import { MEASUREMENTS } from '../migrations/partitioned-tables.ts';
import type { Database } from '../src/db/database.ts';
import { createPartitionKeeper } from '../src/db/partitions.ts';
import { query } from '../src/db/query.ts';
import { createTransact } from '../src/db/transaction.ts';
import { createCompactionRepository } from '../src/measurements/compaction.repository.ts';
import { createCompaction } from '../src/measurements/compaction.service.ts';
import { DAY_MS } from '../src/process/durations.ts';
import { addFleet } from './support/fleet.ts';
import { percentile } from './support/percentile.ts';
import { runOnDatabase } from './support/run-on-database.ts';
import { printTable, round } from './support/table.ts';

const DEVICES = 120;
const CHANNELS = 2;
const DAYS = 30;
const FRAMES_PER_DAY = 24;
const SAMPLES = 12;
const READINGS = DEVICES * CHANNELS * DAYS * FRAMES_PER_DAY * SAMPLES;
const START_MS = Date.UTC(2026, 4, 1);

await runOnDatabase(async (sql) => {
  await createPartitionKeeper(sql, MEASUREMENTS).ensure([new Date(START_MS)]);
  const { organizationId } = await addFleet(sql, DEVICES);
  const daysMs: number[] = [];
  for (let day = 0; day < DAYS + 2; day++) {
    if (day < DAYS) await storeDay(sql, organizationId, START_MS + day * DAY_MS);
    daysMs.push(await compact(sql, START_MS + (day + 1) * DAY_MS));
    await sql.raw(`vacuum ${MEASUREMENTS.name}`);
    process.stderr.write(`Day ${day + 1}: ${await bytesStored(sql)} bytes\n`);
  }
  const perDevice = daysMs.slice(2).map((ms) => ms / DEVICES);
  const [row] = await query<{ blocks: number }>(sql, 'select count(*) as blocks from measurement_blocks');
  printTable(
    `${READINGS} readings of ${DEVICES} devices in ${DAYS} days, in frames of ${SAMPLES} on ${CHANNELS} channels; bytes after plain vacuum`,
    ['blocks', 'bytes a reading', 'compaction ms per day and device, p50', 'max'],
    [
      [
        row?.blocks ?? 0,
        round((await bytesStored(sql)) / READINGS, 1),
        percentile(perDevice, 0.5),
        round(Math.max(...perDevice), 1),
      ],
    ],
  );
});

async function storeDay(database: Database, organizationId: string, startMs: number): Promise<void> {
  await query(
    database,
    `insert into measurement_blocks (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
     select a.organization_id, a.id, at, at + interval '55 minutes',
       at + interval '56 minutes' + make_interval(secs => hashtext(a.id::text) % 60), channel, 1, 1, false,
       (select array_agg(40 + (frame * ${SAMPLES} + g) % 30) from generate_series(1, ${SAMPLES}) g)
     from generate_series(0, ${FRAMES_PER_DAY - 1}) frame, assets a, generate_series(1, ${CHANNELS}) channel,
       lateral (select ?::timestamptz + make_interval(hours => frame) as at) as f
     where a.organization_id = ?`,
    [new Date(startMs).toISOString(), organizationId],
  );
  await query(
    database,
    'update device_states set uncompacted_from = least(uncompacted_from, ?::timestamptz) where organization_id = ?',
    [new Date(startMs).toISOString(), organizationId],
  );
}

/** Returns the duration. */
async function compact(database: Database, nowMs: number): Promise<number> {
  const startedAt = performance.now();
  await createCompaction({
    transact: createTransact(database),
    compactionIn: createCompactionRepository,
    now: () => new Date(nowMs),
    onSetAside(_device, error) {
      throw error;
    },
  }).compactClosedDays();
  return performance.now() - startedAt;
}

/** Table and indexes of all partitions. */
async function bytesStored(database: Database): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    database,
    `select sum(pg_total_relation_size(relid))::float8 as bytes
     from pg_partition_tree(?::regclass) where isleaf`,
    [MEASUREMENTS.name],
  );
  return row?.bytes ?? 0;
}
