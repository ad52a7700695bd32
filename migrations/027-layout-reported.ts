import type { Knex } from 'knex';

/** Whether a device has told its channels in a report, or only its frames have shown them, which may show more later. */
export const up = (sql: Knex) =>
  sql.raw('alter table device_configs add column layout_reported boolean not null default false');

export const down = (sql: Knex) => sql.raw('alter table device_configs drop column layout_reported');
