import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    comment on column device_configs.has_had_profile is
      'True: the change of a profile is pending for the device, or the device has confirmed one.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    comment on column device_configs.has_had_profile is
      'True: the change of a profile is pending for the device, or was at some time.'`);
