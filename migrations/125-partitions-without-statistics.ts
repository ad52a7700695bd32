import type { Knex } from 'knex';

/**
 * Distributed tables have no statistics of their organizations (src/db/distribute.ts). A partition that `create_partition`
 * adds has none either, if its table has none: Citus cannot change that once it is attached.
 */
export const up = (sql: Knex) => sql.raw(definition(WITHOUT_STATISTICS));

export const down = (sql: Knex) => sql.raw(definition(''));

const WITHOUT_STATISTICS = `
    if exists (
      select from pg_attribute
      where attrelid = parent::regclass and attname = 'organization_id' and attstattarget = 0
    ) then
      execute format('alter table %I alter column organization_id set statistics 0', name);
    end if;`;

const definition = (beforeAttached: string) => `
  create or replace function create_partition(name text, parent text, first text, after text) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if is_name_of_partition(name, parent) is not true then
      raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
    end if;
    execute format('create table %I (like %I including defaults including generated including constraints including storage)',
      name, parent);${beforeAttached}
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, after);
  end $$`;
