import type { Knex } from 'knex';

/**
 * Takes the place of `measurements`, which stays for processes of the version before and until its rows are moved.
 * Columns of fixed length come first, in an order that needs no padding.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table measurement_blocks (
      organization_id uuid not null,
      asset_id uuid not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      received_at timestamptz not null,
      channel smallint not null,
      type smallint not null,
      scale smallint not null,
      late boolean not null,
      span_minutes smallint not null generated always as (case
        when last_at = first_at then 0
        when last_at - first_at <= interval '1 minute' then 1
        when last_at - first_at <= interval '1 hour' then 60
        else 1440
      end) stored,
      steps smallint[],
      numbers double precision[],
      errors integer[],
      offsets_ms integer[],
      run_lengths smallint[],
      run_delays_ms integer[],
      constraint measurement_blocks_pkey primary key
        (organization_id, asset_id, span_minutes, last_at, channel),
      constraint measurement_blocks_channel_check check (channel between 1 and 6),
      constraint measurement_blocks_values_check check ((steps is null) <> (numbers is null))
    ) partition by range (last_at);
    comment on table measurement_blocks is
      'Readings, many to a row: those of a frame, or of a whole day once it is compacted, that share channel, '
      'type, lateness and UTC day. A reading is in one block only: intake excludes duplicates under the lock of '
      'the device state. Partitioned by month. No foreign key: rows leave with their partition, and assets are '
      'never deleted.';
    comment on column measurement_blocks.first_at is
      'Time of the first reading, on the clock of the device; in the same UTC day as last_at.';
    comment on column measurement_blocks.last_at is 'Time of the last reading.';
    comment on column measurement_blocks.received_at is 'Arrival; with run_delays_ms, the earliest one.';
    comment on column measurement_blocks.span_minutes is
      'first_at is at most so long before last_at. Part of the key, so that whoever looks for the blocks around a '
      'time reads as far beyond it as blocks of each length reach: short ones may be many, long ones are few.';
    comment on column measurement_blocks.channel is 'From 1, as on the device.';
    comment on column measurement_blocks.type is 'Number of the measurement type in the protocol of the device.';
    comment on column measurement_blocks.scale is 'Decimal places of steps: a value is step / 10^scale.';
    comment on column measurement_blocks.late is
      'True: on arrival the readings were older than a day or not newer than their channel, so no alert was '
      'opened or closed by them.';
    comment on column measurement_blocks.steps is
      'Values in the unit of the type times 10^scale, by time. Null as a whole: they are in numbers; null as '
      'an element: the sensor reported an error.';
    comment on column measurement_blocks.numbers is
      'The values where steps cannot hold them exactly. Null as a whole: they are in steps; null as an '
      'element: the sensor reported an error.';
    comment on column measurement_blocks.errors is
      'Error codes of the sensor by position. Null as a whole: no errors; null as an element: there is a value.';
    comment on column measurement_blocks.offsets_ms is
      'Time of each reading after first_at. Null: they are evenly spaced from first_at to last_at.';
    comment on column measurement_blocks.run_lengths is
      'How many consecutive readings arrived together. Null: all did, at received_at.';
    comment on column measurement_blocks.run_delays_ms is
      'Arrival of each run after received_at. Null: one arrival.'`);

export const down = (sql: Knex) => sql.raw('drop table measurement_blocks');
