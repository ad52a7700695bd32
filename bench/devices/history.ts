/** Pages of the history of one device, over a year of readings among those of many devices. */
import { request } from 'undici';
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import type { Fleet } from '../support/fleet.ts';
import { percentile } from '../support/percentile.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';

const ROWS = 20_000_000;
const ROWS_PER_YEAR = 105_120;
/** An hour in a frame: readings lie together as loggers send them. */
const ROWS_PER_FRAME = 12;
const DEVICES = Math.round(ROWS / ROWS_PER_YEAR);
const WALKS = 40;
const PAGES_PER_WALK = 25;
const WARM_UP_PAGES = 20;
const DAY_MS = 86_400_000;

export async function benchHistory({ stack }: DeviceBench): Promise<void> {
  const fleet = await stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  await loadYear(stack.sql, fleet);
  const assets = await query<{ id: string }>(stack.sql, 'select id from assets where organization_id = ?', [
    fleet.organizationId,
  ]);
  const ids = assets.map(({ id }) => id);
  const rows = [];
  for (const limit of [50, 500]) rows.push(await measurePages(createReader(stack.apiUrl, fleet), ids, limit));
  printTable(
    `History of one device over a year (${ROWS_PER_YEAR} readings among ${DEVICES * ROWS_PER_YEAR}), in frames of ${ROWS_PER_FRAME}; pages over HTTP`,
    ['items', 'pages', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows,
  );
}

async function loadYear(sql: Database, { organizationId }: Fleet): Promise<void> {
  process.stderr.write(`Loading ${DEVICES * ROWS_PER_YEAR} readings\n`);
  for (let month = 13; month >= 1; month--) await createPartition(sql, month);
  await query(
    sql,
    `insert into measurements (organization_id, asset_id, measured_at, received_at, channel, type, value, late)
     select a.organization_id, a.id, now() - (frame * ${ROWS_PER_FRAME} - g) * interval '5 minutes', now(), 1, 1, 4 + g % 30 / 10.0, false
     from generate_series(${ROWS_PER_YEAR / ROWS_PER_FRAME}, 1, -1) frame, assets a, generate_series(1, ${ROWS_PER_FRAME}) g
     where a.organization_id = ?`,
    [organizationId],
  );
  await sql.raw('vacuum analyze measurements');
}

async function createPartition(sql: Database, monthsAgo: number): Promise<void> {
  const start = (months: number) => `date_trunc('month', now()) - interval '${months} months'`;
  await sql.raw(`do $$ begin
    execute format('create table if not exists measurements_%s partition of measurements for values from (%L) to (%L)',
      to_char(${start(monthsAgo)}, 'YYYYMM'), ${start(monthsAgo)}, ${start(monthsAgo - 1)});
  end $$`);
}

type ReadPage = (path: string) => Promise<{ ms: number; nextCursor: string | null }>;

function createReader(apiUrl: string, { apiKey }: Fleet): ReadPage {
  return async (path) => {
    const startedAt = performance.now();
    const answer = await request(apiUrl + path, { headers: { authorization: `Bearer ${apiKey}` } });
    const body = (await answer.body.json()) as { items: unknown[]; nextCursor: string | null };
    if (answer.statusCode !== 200 || body.items.length === 0) {
      throw new Error(`${path} answered ${answer.statusCode} with ${body.items?.length} items`);
    }
    return { ms: performance.now() - startedAt, nextCursor: body.nextCursor };
  };
}

/** Walks from random moments of the year, page by page. */
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
