import type { Knex } from 'knex';

/** As text: each frame rewrites the row, and jsonb of the same readings is twice as wide. */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table device_states add column latest json;
    comment on column device_states.latest is
      'The newest sample of each channel: [channel, type, unix milliseconds, value, error]. Null: no frame since the column was added.'`);

export const down = (sql: Knex) => sql.raw('alter table device_states drop column latest');
