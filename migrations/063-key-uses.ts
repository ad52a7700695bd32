import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table api_keys add column last_used_at timestamptz;
    comment on column api_keys.last_used_at is
      'At most an hour before the last use, because it is written once an hour. Null: not used since it is written, or '
      'the token of a single device, for which it is never written.'`);

export const down = (sql: Knex) => sql.raw('alter table api_keys drop column last_used_at');
