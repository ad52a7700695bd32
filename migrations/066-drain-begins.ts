import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table endpoints add column draining_since timestamptz;
    comment on column endpoints.draining_since is
      'When the latest drain began, also one of a replay, after which no outage has ended. Null: none since it is written.'`);

export const down = (sql: Knex) => sql.raw('alter table endpoints drop column draining_since');
