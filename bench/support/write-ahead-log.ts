/** The contents of a span of the write-ahead log, by table or index and kind of record. */
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { type Cell, round } from './table.ts';

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

export interface Logged {
  name: string;
  bytes: number;
  full_pages: number;
}

export async function findLogPosition(sql: Database): Promise<string> {
  const [row] = await query<{ at: string }>(sql, 'select pg_current_wal_insert_lsn()::text as at');
  return row?.at ?? '';
}

/** Bytes that are written while the work runs. */
export async function measureLog(sql: Database, work: () => Promise<void>): Promise<number> {
  const from = await findLogPosition(sql);
  await work();
  const [row] = await query<{ bytes: number }>(
    sql,
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), ?::pg_lsn)::float8 as bytes',
    [from],
  );
  return row?.bytes ?? 0;
}

export async function readLog(sql: Database, from: string, to: string): Promise<Logged[]> {
  await sql.raw('create extension if not exists pg_walinspect');
  const span = [from, to];
  return [...(await query<Logged>(sql, BY_RELATION, span)), ...(await query<Logged>(sql, OF_NONE, span))];
}

const LISTED_MAX = 16;

/** Bytes of each, divided by the number of readings or devices, and the bytes of full pages among them. */
export function logRows(found: Logged[], count: number): Cell[][] {
  const perOne = (bytes: number) => round(bytes / count, 2);
  const largest = found.toSorted((a, b) => b.bytes - a.bytes);
  const rest = largest.slice(LISTED_MAX);
  const sum = (of: Logged[], field: 'bytes' | 'full_pages') =>
    of.reduce((total, each) => total + each[field], 0);
  const rowOf = (name: string, of: Logged[]): Cell[] => [
    name,
    perOne(sum(of, 'bytes')),
    perOne(sum(of, 'full_pages')),
  ];
  return [
    ...largest.slice(0, LISTED_MAX).map((each) => rowOf(each.name, [each])),
    rowOf('all others', rest),
    rowOf('together', found),
  ];
}
