/** The archive of PostgreSQL's write-ahead log: while it takes nothing, the log stays on the disk of PostgreSQL until that is full. */
import type { Sql } from './database.ts';
import { query } from './query.ts';

/** A failure is over with the next success. The time of the last success is null before the first one. */
const FIND_FAILURE = `
  select extract(epoch from now() - coalesce(last_archived_time, stats_reset))::float8 as seconds
  from pg_stat_archiver
  where last_failed_time > coalesce(last_archived_time, '-infinity')
    and exists (select from pg_settings where name = 'archive_mode' and setting <> 'off')`;

/** Time since the last success while attempts fail, in seconds; 0 while they succeed, or archiving is off. */
export async function findArchiveFailureSeconds(sql: Sql): Promise<number> {
  const [failure] = await query<{ seconds: number | null }>(sql, FIND_FAILURE);
  return failure?.seconds ?? 0;
}
