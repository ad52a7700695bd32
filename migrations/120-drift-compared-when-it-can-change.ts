import type { Knex } from 'knex';

const WRITE = 'create or replace function write_sync_status() returns trigger language plpgsql as';

/**
 * The comparison of two configurations is most of what the trigger costs. A change that is put on a device whose status
 * stays the same, as on one that has another change pending, leaves both of them as they are.
 */
export async function up(sql: Knex): Promise<void> {
  if (!(await hasTrigger(sql))) return;
  await sql.raw(`
    ${WRITE} $$
    begin
      if new.reported_config_id is distinct from old.reported_config_id
        or new.confirmed_config_id is distinct from old.confirmed_config_id
        or new.reported_hash is distinct from old.reported_hash
        or new.observed_hash is distinct from old.observed_hash then
        new.has_drifted := device_has_drifted(new);
      end if;
      new.sync_status := device_sync_status(new);
      return new;
    end $$`);
}

export async function down(sql: Knex): Promise<void> {
  if (!(await hasTrigger(sql))) return;
  await sql.raw(`
    ${WRITE} $$
  begin
    new.has_drifted := device_has_drifted(new);
    new.sync_status := device_sync_status(new);
    return new;
  end $$`);
}

/** Distributed tables have none. */
async function hasTrigger(sql: Knex): Promise<boolean> {
  const { rows } = await sql.raw(`select to_regproc('write_sync_status') is not null as "hasTrigger"`);
  return rows[0].hasTrigger;
}
