import type { Knex } from 'knex';

/** Costs no byte while it is null: rows of so few columns have room for the mark that says so. */
export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    alter table events add column if not exists trace text;
    comment on column events.trace is
      'The traceparent (W3C Trace Context) of the request or message that it follows from. Null: traces are off.'`);

export const down = (sql: Knex) => sql.raw('alter table events drop column trace');
