import type { Knex } from 'knex';

/**
 * Partitions for processes whose database user does not own the tables. Each function runs with the rights of the owner, and
 * touches nothing but partitions that are named after their table and a time.
 */
export async function up(sql: Knex): Promise<void> {
  for (const statement of [NAMED, CREATE, DROP, CLOSED]) await sql.raw(statement);
}

export const down = (sql: Knex) =>
  sql.raw('drop function if exists create_partition, drop_partition, is_name_of_partition');

/** `pg_temp` is named last, so that a caller's temporary table is not taken for one of ours. */
const AS_OWNER = 'language plpgsql security definer set search_path = public, pg_temp';

const NAMED = `
  create or replace function is_name_of_partition(name text, parent text) returns boolean language sql immutable as $$
    select parent in ('events', 'deliveries', 'delivery_attempts', 'measurement_blocks', 'measurements', 'audit_entries')
      and starts_with(name, parent || '_') and substr(name, length(parent) + 2) ~ '^[0-9]{6,8}$'
  $$`;

const CREATE = `
  create or replace function create_partition(name text, parent text, first text, after text) returns void ${AS_OWNER} as $$
  begin
    if is_name_of_partition(name, parent) is not true then
      raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
    end if;
    execute format('create table %I (like %I including defaults including generated including constraints including storage)',
      name, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, after);
  end $$`;

const DROP = `
  create or replace function drop_partition(name text, parent text) returns void ${AS_OWNER} as $$
  begin
    if is_name_of_partition(name, parent) is not true then
      raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
    end if;
    execute format('drop table if exists %I', name);
  end $$`;

/** Every user of the database may call a new function. The owner's default privileges say who else may (deploy/). */
const CLOSED = `
  revoke execute on function create_partition(text, text, text, text), drop_partition(text, text) from public`;
