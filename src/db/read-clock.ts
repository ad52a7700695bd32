import type { Sql } from './database.ts';
import { query } from './query.ts';

/** The clock by which the transaction stores times. */
export async function readClock(sql: Sql): Promise<Date> {
  const [row] = await query<{ now: Date }>(sql, 'select now() as now');
  return (row as { now: Date }).now;
}
