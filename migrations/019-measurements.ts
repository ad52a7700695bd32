import type { Knex } from 'knex';

/**
 * Readings by asset and time: the key makes a repeated one impossible and serves the history, newest first. `error` is
 * the sensor's code where there is no value. Partitions are months (src/db/partitions.ts), so there is no foreign key:
 * rows leave with their partition, and assets are never removed.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table measurements (
      asset_id uuid not null,
      measured_at timestamptz not null,
      received_at timestamptz not null,
      value double precision,
      error integer,
      channel smallint not null,
      type smallint not null,
      late boolean not null,
      constraint measurements_pkey primary key (asset_id, measured_at, channel),
      constraint measurements_value_check check ((value is null) <> (error is null))
    ) partition by range (measured_at)`);

export const down = (sql: Knex) => sql.raw('drop table measurements');
