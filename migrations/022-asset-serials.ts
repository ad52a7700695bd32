import type { Knex } from 'knex';

/** For devices that speak without a token: who has registered the serial. */
export const up = (sql: Knex) =>
  sql.raw(
    'create index assets_active_serial_anywhere on assets (lower(serial_number)) where archived_at is null',
  );

export const down = (sql: Knex) => sql.raw('drop index assets_active_serial_anywhere');
