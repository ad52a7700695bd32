/**
 * Pages of the history of one device, over a year of readings among those of many devices.
 *
 * HISTORY_READINGS: readings of all devices (default: 20,000,000). Above twice that they are not compacted, which takes
 * hours.
 */
import { request } from 'undici';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import type { Database } from '../../src/db/database.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createCompactionRepository } from '../../src/measurements/compaction.repository.ts';
import { createCompaction } from '../../src/measurements/compaction.service.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import type { Fleet } from '../support/fleet.ts';
import { percentile } from '../support/percentile.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';

const ROWS = Number(process.env.HISTORY_READINGS ?? 20_000_000);
const COMPACTED_MAX = 40_000_000;
const ROWS_PER_YEAR = 105_120;
/** One frame per hour, so that readings lie together as loggers send them. */
const ROWS_PER_FRAME = 12;
const DEVICES = Math.round(ROWS / ROWS_PER_YEAR);
const WALKS = 40;
const PAGES_PER_WALK = 25;
const WARM_UP_PAGES = 20;

export async function benchHistory(bench: DeviceBench): Promise<void> {
  const { stack } = bench;
  const fleet = await stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const bytesBefore = await findBytes(stack.sql);
  await loadYear(stack.sql, fleet);
  const assets = await query<{ id: string }>(stack.sql, 'select id from assets where organization_id = ?', [
    fleet.organizationId,
  ]);
  const ids = assets.map(({ id }) => id);
  const measure = async (name: string) => {
    const bytes = (await findBytes(stack.sql)) - bytesBefore;
    const size = round(bytes / (DEVICES * ROWS_PER_YEAR), 1);
    const rows: Cell[][] = [];
    for (const limit of [50, 500]) {
      rows.push([name, size, ...(await measurePages(createReader(stack.apiUrl, fleet), ids, limit))]);
    }
    return rows;
  };
  const curves: Cell[][] = [];
  const measureCurve = async (name: string) =>
    curves.push([name, ...(await measureCurves(bench.stack.apiUrl, fleet, ids))]);
  const fresh = await measure('as sent');
  await measureCurve('as sent');
  const afterwards: Cell[][] = [];
  if (ROWS <= COMPACTED_MAX) {
    process.stderr.write(`Compacted in ${await compactYear(stack.sql, fleet)} s\n`);
    afterwards.push(...(await measure('compacted')));
    await measureCurve('compacted');
  }
  printTable(
    `History of one device over a year (${ROWS_PER_YEAR} readings among ${DEVICES * ROWS_PER_YEAR}), in frames of ${ROWS_PER_FRAME}; pages over HTTP`,
    ['', 'bytes a reading', 'items', 'pages', 'p50 ms', 'p95 ms', 'p99 ms'],
    [...fresh, ...afterwards],
  );
  printTable(
    'A year of one device as buckets of an hour: as one page of 10,000, as CSV, and the first page of 500',
    ['', 'year p50 ms', 'p99 ms', 'CSV p50 ms', 'p99 ms', 'first page p50 ms', 'p99 ms'],
    curves,
  );
}

async function loadYear(sql: Database, { organizationId }: Fleet): Promise<void> {
  process.stderr.write(`Loading ${DEVICES * ROWS_PER_YEAR} readings\n`);
  const months = Array.from({ length: 14 }, (_, index) => new Date(Date.now() - index * 28 * DAY_MS));
  await createPartitionKeeper(sql, MEASUREMENTS).ensure(months);
  await query(
    sql,
    `insert into measurement_blocks (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
     select a.organization_id, a.id, at, at + interval '55 minutes', at + interval '56 minutes', 1, 1, 1, false,
       (select array_agg(40 + (frame * ${ROWS_PER_FRAME} + g) % 30) from generate_series(1, ${ROWS_PER_FRAME}) g)::smallint[]
     from generate_series(${ROWS_PER_YEAR / ROWS_PER_FRAME}, 1, -1) frame, assets a,
       lateral (select date_trunc('hour', now()) - frame * interval '1 hour' as at) as f
     where a.organization_id = ?`,
    [organizationId],
  );
  await sql.raw('vacuum analyze measurement_blocks');
}

/** Compacts like the worker, and frees the space where the rows of a partition would be stored next. */
async function compactYear(sql: Database, { organizationId }: Fleet): Promise<number> {
  process.stderr.write('Compacting\n');
  await query(
    sql,
    `update device_states set uncompacted_from = now() - interval '366 days' where organization_id = ?`,
    [organizationId],
  );
  const startedAt = performance.now();
  await createCompaction({
    transact: createTransact(sql),
    compactionIn: createCompactionRepository,
    now: () => new Date(),
    onSetAside(_device, error) {
      throw error;
    },
  }).compactClosedDays();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  await sql.raw('vacuum full analyze measurement_blocks');
  return seconds;
}

/** Tables and indexes of all partitions. */
async function findBytes(sql: Database): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    sql,
    `select sum(pg_total_relation_size(relid))::float8 as bytes
     from pg_partition_tree('measurement_blocks') where isleaf`,
  );
  return row?.bytes ?? 0;
}

/** Reads until the last byte of the answer. */
type ReadPage = (path: string) => Promise<{ ms: number; nextCursor: string | null }>;

function createReader(apiUrl: string, { apiKey }: Fleet): ReadPage {
  return async (path) => {
    const startedAt = performance.now();
    const answer = await request(apiUrl + path, { headers: { authorization: `Bearer ${apiKey}` } });
    const text = await answer.body.text();
    const ms = performance.now() - startedAt;
    const body = JSON.parse(text) as { items: unknown[]; nextCursor: string | null };
    if (answer.statusCode !== 200 || body.items.length === 0) {
      throw new Error(`${path} answered ${answer.statusCode} with ${body.items?.length} items`);
    }
    return { ms, nextCursor: body.nextCursor };
  };
}

/** Walks page by page from random moments of the year. */
async function measurePages(readPage: ReadPage, ids: string[], limit: number): Promise<Cell[]> {
  const times: number[] = [];
  for (let walk = 0; walk < WALKS; walk++) {
    const id = ids[Math.floor(Math.random() * ids.length)];
    const to = new Date(Date.now() - Math.random() * 360 * DAY_MS).toISOString();
    let cursor = '';
    for (let page = 0; page < PAGES_PER_WALK; page++) {
      const { ms, nextCursor } = await readPage(
        `/assets/${id}/measurements?limit=${limit}&to=${to}${cursor}`,
      );
      times.push(ms);
      if (!nextCursor) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
  }
  const sorted = times.slice(WARM_UP_PAGES).sort((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(sorted, share)) as [
    number,
    number,
    number,
  ];
  return [limit, sorted.length, p50, p95, p99];
}

/** Enough for a 99th percentile. */
const CURVES = 200;

async function measureCurves(apiUrl: string, fleet: Fleet, ids: string[]): Promise<Cell[]> {
  const readPage = createReader(apiUrl, fleet);
  const times: [number[], number[], number[]] = [[], [], []];
  for (let curve = -4; curve < CURVES; curve++) {
    const path = `/assets/${ids[Math.floor(Math.random() * ids.length)]}/measurements?resolution=1h`;
    const { ms: yearMs, nextCursor } = await readPage(`${path}&limit=10000`);
    if (nextCursor !== null) throw new Error('A year of hours does not fit into a page');
    const tableMs = await readTable(apiUrl + path, fleet);
    const { ms: pageMs } = await readPage(`${path}&limit=500`);
    if (curve >= 0) for (const [index, ms] of [yearMs, tableMs, pageMs].entries()) times[index]?.push(ms);
  }
  return times.flatMap((each) => {
    each.sort((a, b) => a - b);
    return [percentile(each, 0.5), percentile(each, 0.99)];
  });
}

async function readTable(url: string, { apiKey }: Fleet): Promise<number> {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'text/csv' };
  await (await request(url, { headers })).body.text();
  return performance.now() - startedAt;
}
