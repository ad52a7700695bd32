import type { Knex } from 'knex';

/**
 * Since when each way in for devices has been open without a gap, so that nobody is called silent whom we could not
 * hear. A row for each kind of process, whatever number of them runs.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table listeners (
      name text not null,
      since timestamptz not null,
      seen_at timestamptz not null,
      constraint listeners_pkey primary key (name)
    )`);

export const down = (sql: Knex) => sql.raw('drop table listeners');
