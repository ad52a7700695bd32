import type { Knex } from 'knex';

const NAME = '055-fresh-readings';

/**
 * A process of an earlier release would look for readings by columns that are gone, hence `needed_migration`. The
 * table is rewritten, which takes minutes for a hundred million blocks.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    alter table measurement_blocks drop constraint measurement_blocks_pkey;
    alter table measurement_blocks drop column span_minutes;
    alter table measurement_blocks add column fresh_hour integer;
    alter table measurement_blocks add column place integer not null generated always as (case
      when fresh_hour is not null then fresh_hour
      when last_at = first_at then 0
      when last_at - first_at <= interval '1 minute' then 1
      when last_at - first_at <= interval '1 hour' then 60
      else 1440
    end) stored;
    alter table measurement_blocks
      add constraint measurement_blocks_pkey primary key (organization_id, place, asset_id, last_at, channel);
    comment on column measurement_blocks.fresh_hour is
      'Hours from 1970 to last_at, for a block as it was sent that is not late and at most an hour long. Null: any '
      'other, and every block of a compacted day.';
    comment on column measurement_blocks.place is
      'Where the block lies in the key. Fresh ones lie hour by hour, so that loggers that send within an hour write '
      'to few pages of the index: each page is logged as a whole once after a checkpoint. Others lie by asset, apart '
      'by how long they are, in minutes (0, 1, 60 or 1440): whoever looks for blocks around a time reads as far '
      'beyond it as those of each length reach.'`);
  await sql.raw(`
    alter table device_states add column fresh_from timestamptz;
    comment on column device_states.fresh_from is
      'No fresh block of the device ends earlier. Null: it has none. Late readings do not move it, so that whoever looks for '
      'fresh blocks looks into few hours.'`);
  await sql('schema_support').update({ needed_migration: NAME });
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw(`
    alter table device_states drop column fresh_from;
    alter table measurement_blocks drop constraint measurement_blocks_pkey;
    alter table measurement_blocks drop column place;
    alter table measurement_blocks drop column fresh_hour;
    alter table measurement_blocks add column span_minutes smallint not null generated always as (case
      when last_at = first_at then 0
      when last_at - first_at <= interval '1 minute' then 1
      when last_at - first_at <= interval '1 hour' then 60
      else 1440
    end) stored;
    alter table measurement_blocks
      add constraint measurement_blocks_pkey primary key (organization_id, asset_id, span_minutes, last_at, channel);
    comment on column measurement_blocks.span_minutes is
      'first_at is at most so long before last_at. Part of the key, so that whoever looks for the blocks around a '
      'time reads as far beyond it as blocks of each length reach: short ones may be many, long ones are few.'`);
  await sql('schema_support').update({ needed_migration: '050-counts-by-index' });
}
