/** Checksums of all tables, which tests compare to see that nothing changed. */
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';

/** Tables left out: a 404 records unregistered serials for the operator, and processes record heartbeats. */
const LEFT_OUT = ['unregistered_devices', 'ingress_heartbeats'];
/** Any request may be the first one in an hour with its key. */
const ROWS: Record<string, string> = { api_keys: `to_jsonb(t) - 'last_used_at'` };

export async function databaseContents(sql: Sql): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    sql,
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name <> all(?::text[])`,
    [LEFT_OUT],
  );
  // One statement, because a hundred would cost more than the checksums.
  const sums = await query<{ name: string; sum: string }>(
    sql,
    tables
      .map(
        ({ name }) =>
          `select '${name}' as name, md5(coalesce(string_agg(content, '|' order by content), '')) as sum
           from (select (${ROWS[name] ?? 't'})::text as content from ${name} t) as rows`,
      )
      .join(' union all '),
  );
  return Object.fromEntries(sums.map(({ name, sum }) => [name, sum]));
}

/**
 * Workflows are started in the background, which is recorded in the rows of their jobs, unless these have
 * ended first.
 */
export async function untilJobsStarted(sql: Sql): Promise<void> {
  for (;;) {
    const rows = await query(
      sql,
      `select 1 from config_jobs where workflow_checked_at is null and status in ('running', 'scheduled')`,
    );
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
