import type { Knex } from 'knex';

/** `concurrently` does not run in a transaction. */
export const config = { transaction: false };

/**
 * Search by a part of the serial number or the name. The index holds every three consecutive characters, each behind the
 * organization, so a search reads nothing of others; two marks at the end make shorter texts the beginning of an entry.
 * The built-in collation lowers letters in the same way on every server. No extension is needed.
 */
const FUNCTIONS = `
  create or replace function asset_grams(organization_id uuid, serial_number text, name text) returns tsvector
  language sql immutable strict parallel safe cost 50000 as $$
    select array_to_tsvector(array_agg(organization_id || ':' || substr(field, position, 3)))
    from (values (lower(serial_number collate pg_c_utf8) || e'\\x01\\x01'), (lower(name collate pg_c_utf8) || e'\\x01\\x01'))
      as fields (field)
    cross join generate_series(1, length(field) - 2) as position
  $$;
  create or replace function asset_grams_query(organization_id uuid, part text) returns tsquery
  language sql immutable strict parallel safe as $$
    select string_agg(
      '''' || replace(replace(organization_id || ':' || substr(lower(part collate pg_c_utf8), position, 3), '\\', '\\\\'), '''', '''''')
        || '''' || case when length(part) < 3 then ':*' else '' end, ' & ')::tsquery
    from generate_series(1, greatest(length(part) - 2, 1)) as position
  $$`;

const INDEXES: Record<string, string> = {
  assets_search_idx:
    'assets using gin (asset_grams(organization_id, serial_number, name)) where archived_at is null',
  device_states_status_idx: 'device_states (organization_id, status, asset_id) where is_active',
  device_states_battery_idx: 'device_states (organization_id, battery_status, asset_id) where is_active',
  device_states_last_reading_idx:
    'device_states (organization_id, last_reading_from, asset_id) where is_active',
  device_configs_sync_status_idx: 'device_configs (organization_id, sync_status, asset_id) where is_active',
};

export async function up(sql: Knex): Promise<void> {
  await sql.raw(FUNCTIONS);
  for (const [name, on] of Object.entries(INDEXES)) {
    // A build that was interrupted leaves an invalid index behind.
    await sql.raw(`drop index concurrently if exists ${name}`);
    await sql.raw(`create index concurrently ${name} on ${on}`);
  }
  await sql.raw(`comment on index assets_search_idx is 'Each entry begins with organization_id, as text.'`);
}

export async function down(sql: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await sql.raw(`drop index concurrently if exists ${name}`);
  await sql.raw('drop function asset_grams; drop function asset_grams_query');
}
