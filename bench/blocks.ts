/**
 * `npm run bench:blocks`: PostgreSQL's cost of storing frames of 10 + 10 readings, without network and
 * workers.
 */
import { MEASUREMENTS } from '../migrations/partitioned-tables.ts';
import { createBatchTransact } from '../src/db/batch-transaction.ts';
import type { Database } from '../src/db/database.ts';
import { createPartitionKeeper } from '../src/db/partitions.ts';
import { query } from '../src/db/query.ts';
import type { ClassifiedReading } from '../src/devices/reading.ts';
import { createCompactionRepository } from '../src/measurements/compaction.repository.ts';
import type { LockedDevice, ReceivedFrame } from '../src/measurements/frame.ts';
import { createMeasurementsRepository } from '../src/measurements/measurements.repository.ts';
import { toBlocksOfFrame } from '../src/measurements/reading-block.ts';
import { addFleet } from './support/fleet.ts';
import { cpuSeconds } from './support/process-usage.ts';
import { runOnDatabase } from './support/run-on-database.ts';
import { type Cell, printTable, round } from './support/table.ts';

const DEVICES = 2_000;
const FRAMES_PER_DEVICE = 20;
const FRAMES_PER_BATCH = 60;
const SAMPLES = 10;
const RUNS = 3;
const START_MS = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 2 * 86_400_000;

await runOnDatabase(async (sql) => {
  await createPartitionKeeper(sql, MEASUREMENTS).ensure([new Date(START_MS)]);
  const rows: Cell[][] = [];
  for (let run = 1; run <= RUNS; run++) rows.push(await measureRun(sql));
  printTable(
    `${DEVICES * FRAMES_PER_DEVICE} frames of ${SAMPLES} + ${SAMPLES} readings in batches of ${FRAMES_PER_BATCH} over one connection`,
    ['frames/s', 'this process CPU us each', 'disk B a reading', 'WAL B a reading', 'of blocks alone'],
    rows,
  );
});

async function measureRun(database: Database): Promise<Cell[]> {
  const { organizationId } = await addFleet(database, DEVICES);
  const assets = await query<{ id: string }>(database, 'select id from assets where organization_id = ?', [
    organizationId,
  ]);
  await database.raw(`truncate ${MEASUREMENTS.name}`);
  await database.raw('checkpoint');
  const transact = createBatchTransact(database, { plans: 'once' });
  const before = await measureDisk(database);
  const [cpuBefore, startedAt] = [cpuSeconds(process.pid), performance.now()];
  const frames = DEVICES * FRAMES_PER_DEVICE;
  for (let first = 0; first < frames; first += FRAMES_PER_BATCH) {
    const batch = Array.from({ length: Math.min(FRAMES_PER_BATCH, frames - first) }, (_, index) =>
      toFrame(
        organizationId,
        assets[(first + index) % DEVICES]?.id ?? '',
        Math.floor((first + index) / DEVICES),
      ),
    );
    await transact(({ sql: handle }) =>
      createMeasurementsRepository(handle).store({ states: batch, frames: batch }, 'no newer'),
    );
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(process.pid) - cpuBefore;
  const after = await measureDisk(database);
  const alone = await measureBlocksAlone(database, organizationId, assets);
  const perReading = (bytes: number) => round(bytes / (frames * 2 * SAMPLES), 1);
  return [
    Math.round(frames / seconds),
    Math.round((cpu / frames) * 1e6),
    perReading(after.stored - before.stored),
    perReading(after.logged - before.logged),
    perReading(alone),
  ];
}

/** Write-ahead log of the same blocks without the states of the devices. */
async function measureBlocksAlone(
  database: Database,
  organizationId: string,
  assets: Array<{ id: string }>,
): Promise<number> {
  await database.raw(`truncate ${MEASUREMENTS.name}`);
  await database.raw('checkpoint');
  const before = await measureDisk(database);
  for (let number = 0; number < FRAMES_PER_DEVICE; number++) {
    for (let first = 0; first < DEVICES; first += FRAMES_PER_BATCH) {
      const blocks = assets.slice(first, first + FRAMES_PER_BATCH).flatMap(({ id: assetId }) => {
        const { fresh, frame } = toFrame(organizationId, assetId, number);
        return toBlocksOfFrame(fresh, frame).map((block) => ({
          organizationId,
          assetId,
          block,
          freshHour: null,
        }));
      });
      await createCompactionRepository(database).insert(blocks);
    }
  }
  return (await measureDisk(database)).logged - before.logged;
}

async function measureDisk(database: Database): Promise<{ stored: number; logged: number }> {
  const [row] = await query<{ stored: number; logged: number }>(
    database,
    `select sum(pg_total_relation_size(relid))::float8 as stored,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as logged
     from pg_partition_tree(?::regclass) where isleaf`,
    [MEASUREMENTS.name],
  );
  return row ?? { stored: 0, logged: 0 };
}

/** The frame with that number of a device, newer than the earlier ones. */
function toFrame(organizationId: string, assetId: string, number: number): ReceivedFrame {
  const firstMs = START_MS + number * SAMPLES * 60_000;
  const receivedAt = new Date(firstMs + SAMPLES * 60_000);
  const fresh = [1, 2].flatMap((channel) =>
    Array.from(
      { length: SAMPLES },
      (_, sample): ClassifiedReading => ({
        channel,
        type: channel,
        value: channel === 1 ? (40 + ((sample * 7 + number) % 13)) / 10 : 40 + ((sample * 7 + number) % 13),
        error: null,
        measuredAt: new Date(firstMs + sample * 60_000),
        late: false,
      }),
    ),
  );
  const lastAt = new Date(firstMs + (SAMPLES - 1) * 60_000);
  const before = new Date(firstMs - 1);
  const state = (at: Date): LockedDevice['state'] => ({
    presence: {
      status: 'online',
      lastContactAt: receivedAt,
      expectedBy: new Date(receivedAt.getTime() + 3_600_000),
    },
    signalStrength: 'good',
    sendsSignal: true,
    batteryStatus: 'ok',
    lastReadingAt: at,
    latestMeasuredAt: at,
    channelTypes: [1, 2, 0, 0, 0, 0],
    newestReadingAt: { 1: at.getTime(), 2: at.getTime() },
    latest: [],
  });
  const device = { organizationId, assetId, state: state(before) } as LockedDevice;
  return { device, frame: { receivedAt }, fresh, state: state(lastAt) } as ReceivedFrame;
}
