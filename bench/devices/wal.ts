/** The contents of the write-ahead log of frames, by table and index, and the rest. */
import { query } from '../../src/db/query.ts';
import { SAMPLES_PER_FRAME } from '../support/loggers.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { connectLoggers, type DeviceBench } from './device-bench.ts';

const DEVICES = 10_000;
const FRAMES = 30_000;
const UNDER_WAY = 400;
const LISTED_MAX = 16;

/** If a record concerns several blocks, each gets an equal share of the bytes outside of full pages. */
const BY_RELATION = `
  with blocks as (
    select record_type, relfilenode, block_fpi_length as full_page,
      (record_length - sum(block_fpi_length) over record)::float8 / count(*) over record as share
    from pg_get_wal_block_info(?::pg_lsn, ?::pg_lsn, false)
    window record as (partition by start_lsn)
  )
  select coalesce(regexp_replace(c.relname, '_[0-9]{6,8}', ''), 'dropped since') || ' ' || record_type as name,
    sum(share + full_page)::float8 as bytes, sum(full_page)::float8 as full_pages
  from blocks b left join pg_class c on c.relfilenode = b.relfilenode
  group by 1`;
const OF_NONE = `
  select resource_manager || ' ' || record_type as name, sum(record_length)::float8 as bytes, 0::float8 as full_pages
  from pg_get_wal_records_info(?::pg_lsn, ?::pg_lsn) where block_ref is null or block_ref = ''
  group by 1`;

interface Logged {
  name: string;
  bytes: number;
  full_pages: number;
}

export async function benchWal(bench: DeviceBench): Promise<void> {
  const { sql } = bench.stack;
  await sql.raw('create extension if not exists pg_walinspect');
  const fleet = await bench.stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const loggers = await connectLoggers(bench, fleet);
  const send = (turn: number) =>
    loggers.closedLoop(FRAMES, { devices: DEVICES, underWay: UNDER_WAY, round: turn });
  await send(0);
  // After a checkpoint the first change of each page is logged with the whole page.
  await sql.raw('checkpoint');
  await send(10);
  const span = [await findPosition(bench)];
  await send(20);
  span.push(await findPosition(bench));
  loggers.close();
  const found = [
    ...(await query<Logged>(sql, BY_RELATION, span)),
    ...(await query<Logged>(sql, OF_NONE, span)),
  ];
  printTable(
    `Write-ahead log of ${FRAMES} frames of ${SAMPLES_PER_FRAME} readings, bytes a reading`,
    ['', 'bytes', 'of which full pages'],
    toRows(found),
  );
}

async function findPosition({ stack }: DeviceBench): Promise<string> {
  const [row] = await query<{ at: string }>(stack.sql, 'select pg_current_wal_lsn()::text as at');
  return row?.at ?? '';
}

function toRows(found: Logged[]): Cell[][] {
  const perReading = (bytes: number) => round(bytes / (FRAMES * SAMPLES_PER_FRAME), 2);
  const largest = found.toSorted((a, b) => b.bytes - a.bytes);
  const rest = largest.slice(LISTED_MAX);
  const sum = (of: Logged[], field: 'bytes' | 'full_pages') =>
    of.reduce((total, each) => total + each[field], 0);
  const rowOf = (name: string, of: Logged[]): Cell[] => [
    name,
    perReading(sum(of, 'bytes')),
    perReading(sum(of, 'full_pages')),
  ];
  return [
    ...largest.slice(0, LISTED_MAX).map((each) => rowOf(each.name, [each])),
    rowOf('all others', rest),
    rowOf('together', found),
  ];
}
