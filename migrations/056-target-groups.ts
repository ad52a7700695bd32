import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    alter table config_targets add column group_id uuid;
    comment on column config_targets.group_id is
      'The group for whose profile the device has the change: it is withdrawn when the device leaves the group. Null: '
      'the change was asked for by itself.'`);

export const down = (sql: Knex) => sql.raw('alter table config_targets drop column group_id');
