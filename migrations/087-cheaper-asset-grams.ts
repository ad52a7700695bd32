import type { Knex } from 'knex';

const SIGNATURE = 'asset_grams(organization_id uuid, serial_number text, name text) returns tsvector';
const TRAITS = 'immutable strict parallel safe cost 50000';

/** What it answers stays the same, so the index that is built of it stays valid. As a query, most of its time was planning. */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    create or replace function ${SIGNATURE} language plpgsql ${TRAITS} as $$
    declare
      prefix constant text := organization_id || ':';
      serial constant text := lower(serial_number collate pg_c_utf8) || e'\\x01\\x01';
      label constant text := lower(name collate pg_c_utf8) || e'\\x01\\x01';
      grams text[];
    begin
      for position in 1 .. length(serial) - 2 loop
        grams := grams || (prefix || substr(serial, position, 3));
      end loop;
      for position in 1 .. length(label) - 2 loop
        grams := grams || (prefix || substr(label, position, 3));
      end loop;
      return array_to_tsvector(grams);
    end $$`);
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw(`
    create or replace function ${SIGNATURE} language sql ${TRAITS} as $$
    select array_to_tsvector(array_agg(organization_id || ':' || substr(field, position, 3)))
    from (values (lower(serial_number collate pg_c_utf8) || e'\\x01\\x01'), (lower(name collate pg_c_utf8) || e'\\x01\\x01'))
      as fields (field)
    cross join generate_series(1, length(field) - 2) as position
  $$`);
}
