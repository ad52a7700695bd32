import type { Knex } from 'knex';

/** Settings of autovacuum by table; partitions that exist get them as well. */
export const up = (sql: Knex) =>
  sql.raw(`
    create function storage_of_partition(parent text) returns text language sql immutable as $$
      select case parent
        -- Each delivery is changed twice soon after it was made: a fifth of a day's rows, as by default, is much.
        when 'deliveries' then 'autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000'
        -- Rows are only added, and dropped with their partition: there is nothing to free, and nothing to freeze.
        when 'events' then 'autovacuum_vacuum_insert_threshold = -1'
        when 'delivery_attempts' then 'autovacuum_vacuum_insert_threshold = -1'
      end
    $$;
    create or replace function create_partition(name text, parent text, first text, after text) returns void
    language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if is_name_of_partition(name, parent) is not true then
        raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
      end if;
      execute format(
        'create table %I (like %I including defaults including generated including constraints including storage)',
        name, parent);
      if storage_of_partition(parent) is not null then
        execute format('alter table %I set (%s)', name, storage_of_partition(parent));
      end if;
      if exists (
        select from pg_attribute
        where attrelid = parent::regclass and attname = 'organization_id' and attstattarget = 0
      ) then
        execute format('alter table %I alter column organization_id set statistics 0', name);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, after);
    end $$;
    do $$
    declare partition record;
    begin
      for partition in
        select c.relname as name, p.relname as parent
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where c.relkind = 'r' and storage_of_partition(p.relname) is not null
      loop
        execute format('alter table %I set (%s)', partition.name, storage_of_partition(partition.parent));
      end loop;
    end $$`);

export const down = (sql: Knex) =>
  sql.raw(`
    create or replace function create_partition(name text, parent text, first text, after text) returns void
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
    drop function storage_of_partition;
    do $$
    declare partition record;
    begin
      for partition in
        select c.relname as name
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where c.relkind = 'r' and p.relname in ('events', 'deliveries', 'delivery_attempts')
      loop
        execute format('alter table %I reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, '
          'autovacuum_vacuum_insert_threshold)', partition.name);
      end loop;
    end $$`);
