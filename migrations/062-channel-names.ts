import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table notification_channels add column name text;
    comment on column notification_channels.name is
      'Shown in place of the address. Null: the address is shown. Several channels may share a name.'`);

export const down = (sql: Knex) => sql.raw('alter table notification_channels drop column name');
