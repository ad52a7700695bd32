import type { Knex } from 'knex';

/**
 * Partitions are created ahead by month and dropped by age (src/db/partitions.ts). This is the largest table: its
 * columns stand in an order that needs no padding.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table measurements (
      organization_id uuid not null,
      asset_id uuid not null,
      measured_at timestamptz not null,
      received_at timestamptz not null,
      value double precision,
      error integer,
      channel smallint not null,
      type smallint not null,
      late boolean not null,
      constraint measurements_pkey primary key (organization_id, asset_id, measured_at, channel),
      constraint measurements_value_check check ((value is null) <> (error is null)),
      constraint measurements_channel_check check (channel between 1 and 6)
    ) partition by range (measured_at);
    comment on table measurements is
      'Readings by asset and time. The key excludes duplicates and serves the history, newest first. '
      'Partitioned by month. No foreign key: rows leave with their partition, and assets are never '
      'deleted.';
    comment on column measurements.measured_at is 'On the clock of the device.';
    comment on column measurements.value is 'In the unit of its type. Null: the sensor reported an error.';
    comment on column measurements.error is 'Error code of the sensor. Null: there is a value.';
    comment on column measurements.channel is 'From 1, as on the device.';
    comment on column measurements.type is 'Number of the measurement type in the protocol of the device.';
    comment on column measurements.late is
      'True: on arrival it was older than a day or not newer than its channel, so no alert was opened or '
      'closed by it.'`);

export const down = (sql: Knex) => sql.raw('drop table measurements');
