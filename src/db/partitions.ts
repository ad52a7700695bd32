/** Tables that are partitioned by day through their UUIDv7 ids: made ahead, dropped by age. */
import type { Sql } from './database.ts';
import { query } from './query.ts';

const DAY_MS = 86_400_000;
const AHEAD_DAYS = 7;

export const PARTITIONED_TABLES = ['webhook_events', 'deliveries', 'delivery_attempts'] as const;

/** The smallest UUIDv7 of a moment (RFC 9562, section 5.7: 48 bits of milliseconds come first). */
export function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const dayOf = (at: Date) => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
const nameOf = (table: string, day: Date) => `${table}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Makes the partitions from yesterday to a week ahead; those that are there stay. */
export async function createPartitions(sql: Sql, table: string, now: Date): Promise<void> {
  for (let offset = -1; offset <= AHEAD_DAYS; offset++) {
    const day = dayOf(new Date(now.getTime() + offset * DAY_MS));
    const next = new Date(day.getTime() + DAY_MS);
    await query(
      sql,
      `create table if not exists ${nameOf(table, day)} partition of ${table}
       for values from ('${firstIdAt(day)}') to ('${firstIdAt(next)}')`,
    );
  }
}

/** Drops the partitions that ended before the moment; answers with their names. */
export async function dropPartitions(sql: Sql, table: string, before: Date): Promise<string[]> {
  const rows = await query<{ name: string }>(
    sql,
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ?::regclass and c.relname < ? order by 1`,
    [table, nameOf(table, dayOf(before))],
  );
  for (const { name } of rows) await query(sql, `drop table ${name}`);
  return rows.map(({ name }) => name);
}
