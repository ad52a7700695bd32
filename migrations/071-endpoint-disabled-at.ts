import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    alter table endpoints add column disabled_at timestamptz;
    comment on column endpoints.disabled_at is
      'When it was last disabled. Null: never, or by a version that did not note it.'`);

export const down = (sql: Knex) => sql.raw('alter table endpoints drop column disabled_at');
