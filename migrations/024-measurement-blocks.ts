import type { Knex } from 'knex';

/**
 * Partitions are created ahead by month and dropped by age (src/db/partitions.ts). Columns of fixed length come
 * first, in an order that needs no padding.
 *
 * A process whose database user does not own the tables creates and drops partitions with two functions, which run
 * with the rights of the owner and accept only names made of a table and a time. `pg_temp` is named last, so that a
 * caller's temporary table is not taken for one of ours.
 *
 * Distributed tables have no statistics of their organizations (src/db/distribute.ts). A partition takes that over
 * before it is attached: Citus cannot change it later.
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
      constraint measurement_blocks_pkey primary key (organization_id, asset_id, span_minutes, last_at, channel),
      constraint measurement_blocks_channel_check check (channel between 1 and 6),
      constraint measurement_blocks_values_check check ((steps is null) <> (numbers is null))
    ) partition by range (last_at);
    comment on table measurement_blocks is
      'Readings, many to a row: those of a frame, or of a whole day once it is compacted, that share channel, type, '
      'lateness and UTC day. A reading is in one block only: intake excludes duplicates under the lock of the '
      'device state. Partitioned by month. No foreign key: rows leave with their partition, and assets are never '
      'deleted.';
    comment on column measurement_blocks.first_at is
      'Time of the first reading, on the clock of the device; in the same UTC day as last_at.';
    comment on column measurement_blocks.last_at is 'Time of the last reading.';
    comment on column measurement_blocks.received_at is 'Arrival; with run_delays_ms, the earliest one.';
    comment on column measurement_blocks.channel is 'From 1, as on the device.';
    comment on column measurement_blocks.type is 'Number of the measurement type in the protocol of the device.';
    comment on column measurement_blocks.scale is 'Decimal places of steps: a value is step / 10^scale.';
    comment on column measurement_blocks.late is
      'True: on arrival the readings were older than a day or not newer than their channel, so no alert was opened '
      'or closed by them.';
    comment on column measurement_blocks.span_minutes is
      'first_at is at most so long before last_at. Part of the key, so that whoever looks for the blocks around a '
      'time reads as far beyond it as blocks of each length reach: short ones may be many, long ones are few.';
    comment on column measurement_blocks.steps is
      'Values in the unit of the type times 10^scale, by time. Null as a whole: they are in numbers; null as an '
      'element: the sensor reported an error.';
    comment on column measurement_blocks.numbers is
      'The values where steps cannot hold them exactly. Null as a whole: they are in steps; null as an element: the '
      'sensor reported an error.';
    comment on column measurement_blocks.errors is
      'Error codes of the sensor by position. Null as a whole: no errors; null as an element: there is a value.';
    comment on column measurement_blocks.offsets_ms is
      'Time of each reading after first_at. Null: they are evenly spaced from first_at to last_at.';
    comment on column measurement_blocks.run_lengths is
      'How many consecutive readings arrived together. Null: all did, at received_at.';
    comment on column measurement_blocks.run_delays_ms is 'Arrival of each run after received_at. Null: one arrival.';
    create function is_name_of_partition(name text, parent text) returns boolean language sql immutable as $$
      select parent in ('events', 'deliveries', 'delivery_attempts', 'measurement_blocks', 'audit_entries')
        and starts_with(name, parent || '_') and substr(name, length(parent) + 2) ~ '^[0-9]{6,8}$'
    $$;
    create function create_partition(name text, parent text, first text, after text) returns void
    language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if is_name_of_partition(name, parent) is not true then
        raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
      end if;
      execute format(
        'create table %I (like %I including defaults including generated including constraints including storage)',
        name, parent);
      if exists (
        select from pg_attribute
        where attrelid = parent::regclass and attname = 'organization_id' and attstattarget = 0
      ) then
        execute format('alter table %I alter column organization_id set statistics 0', name);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, after);
    end $$;
    create function drop_partition(name text, parent text) returns void
    language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if is_name_of_partition(name, parent) is not true then
        raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
      end if;
      execute format('drop table if exists %I', name);
    end $$;
    -- Every user of the database may call a new function. The owner's default privileges say who else may (deploy/).
    revoke execute on function create_partition(text, text, text, text), drop_partition(text, text) from public`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table measurement_blocks;
    drop function create_partition, drop_partition, is_name_of_partition`);
