/** What PostgreSQL spends on each statement, from pg_stat_statements, which the servers of the benches load. */
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';

export const LOADS_STATEMENT_TIMES = { shared_preload_libraries: 'pg_stat_statements' };

export interface StatementTimes {
  text: string;
  calls: number;
  /** Planning and execution of all calls. */
  ms: number;
}

/** Recording costs something, so only a bench that reads the times switches it on. */
export async function recordStatements(sql: Database, isOn: boolean): Promise<void> {
  await sql.raw(`alter system set pg_stat_statements.track = '${isOn ? 'top' : 'none'}'`);
  await sql.raw(`alter system set pg_stat_statements.track_planning = '${isOn ? 'on' : 'off'}'`);
  await sql.raw('select pg_reload_conf()');
  if (isOn) await sql.raw('create extension if not exists pg_stat_statements');
}

export async function forgetStatements(sql: Database): Promise<void> {
  await sql.raw('select pg_stat_statements_reset()');
}

/** Those that took longest first. */
export const readStatements = (sql: Database): Promise<StatementTimes[]> =>
  query<StatementTimes>(
    sql,
    `select regexp_replace(query, '\\s+', ' ', 'g') as text, sum(calls)::float8 as calls,
       sum(total_plan_time + total_exec_time) as ms
     from pg_stat_statements where query not like '%pg_stat%' group by 1 order by ms desc`,
  );
