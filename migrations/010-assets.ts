import type { Knex } from 'knex';

/**
 * The built-in collation folds case and orders letters in the same way on every server: "ß" is "ss", and "ς" is "σ".
 *
 * Search by a part of the serial number or the name: the index holds every three consecutive characters, each
 * behind the organization, so a search reads no rows of others. Two marks at the end make shorter texts the
 * beginning of an entry. No extension is needed. The function is plpgsql: as a query, most of its time was
 * planning.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create function asset_grams(organization_id uuid, serial_number text, name text) returns tsvector
    language plpgsql immutable strict parallel safe cost 50000 as $$
    declare
      prefix constant text := organization_id || ':';
      serial constant text := casefold(serial_number collate pg_unicode_fast) || e'\\x01\\x01';
      label constant text := casefold(name collate pg_unicode_fast) || e'\\x01\\x01';
      grams text[];
    begin
      for position in 1 .. length(serial) - 2 loop
        grams := grams || (prefix || substr(serial, position, 3));
      end loop;
      for position in 1 .. length(label) - 2 loop
        grams := grams || (prefix || substr(label, position, 3));
      end loop;
      return array_to_tsvector(grams);
    end $$;
    create function asset_grams_query(organization_id uuid, part text) returns tsquery
    language sql immutable strict parallel safe as $$
      select string_agg(
        ''''
          || replace(replace(organization_id || ':' || substr(casefold(part collate pg_unicode_fast), position, 3),
            '\\', '\\\\'), '''', '''''')
          || '''' || case when length(part) < 3 then ':*' else '' end, ' & ')::tsquery
      from generate_series(1, greatest(length(part) - 2, 1)) as position
    $$;
    create table assets (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      serial_number text not null collate "C",
      name text not null,
      model text,
      water_type text,
      floor integer,
      building_id text,
      space_id text,
      created_at timestamptz not null default now(),
      archived_at timestamptz,
      group_id uuid,
      constraint assets_pkey primary key (organization_id, id),
      constraint assets_group_fkey foreign key (organization_id, group_id) references groups (organization_id, id),
      constraint assets_organization_fkey foreign key (organization_id) references organizations (id)
    ) with (fillfactor = 80);
    create unique index assets_active_serial_idx on assets (organization_id, lower(serial_number))
      where archived_at is null;
    create index assets_active_idx on assets (organization_id, id) where archived_at is null;
    create index assets_active_model_idx on assets (organization_id, model, id) where archived_at is null;
    create index assets_active_serial_anywhere_idx on assets (lower(serial_number)) where archived_at is null;
    create index assets_group_idx on assets (organization_id, group_id, id) where group_id is not null;
    create index assets_search_idx on assets using gin (asset_grams(organization_id, serial_number, name))
      where archived_at is null;
    create index assets_active_name_idx on assets (organization_id, casefold(name collate pg_unicode_fast), id)
      where archived_at is null;
    comment on table assets is
      'Places that are monitored, each by one logger. What the customer edits is here; what changes with every '
      'contact of the device is in device_states. Archived assets stay: their readings and alerts refer to them.';
    comment on column assets.serial_number is
      'Of the logger that monitors the asset now; compared without case, unique among active assets of an '
      'organization.';
    comment on column assets.model is 'Product line of the logger, as registered. Null: not given.';
    comment on column assets.water_type is 'As registered. Null: not given.';
    comment on column assets.floor is 'As registered. Null: not given.';
    comment on column assets.building_id is 'In the customer''s own system. Null: not given, or archived.';
    comment on column assets.space_id is 'In the customer''s own system. Null: not given, or archived.';
    comment on column assets.archived_at is 'Null: the asset is active.';
    comment on column assets.group_id is
      'Null: in no group, or archived. How many are in a group is kept in list_totals, list assets, key group:<id>.';
    comment on index assets_active_serial_anywhere_idx is
      'Without organization_id: a device that sends over CoAP without a token is identified by its serial number '
      'alone.';
    comment on index assets_search_idx is 'Each entry begins with organization_id, as text.';
    create function record_assets_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'assets', counted.key, sum(change)
        from (select *, 1 as change from added) as changed
        cross join lateral (
          select '' as key
          union all select 'model:' || model where model is not null
          union all select 'group:' || group_id where group_id is not null
        ) as counted
        where archived_at is null
        group by organization_id, counted.key having sum(change) <> 0;
      elsif tg_op = 'DELETE' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'assets', counted.key, sum(change)
        from (select *, -1 as change from removed) as changed
        cross join lateral (
          select '' as key
          union all select 'model:' || model where model is not null
          union all select 'group:' || group_id where group_id is not null
        ) as counted
        where archived_at is null
        group by organization_id, counted.key having sum(change) <> 0;
      else
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'assets', counted.key, sum(change)
        from (select *, 1 as change from added union all select *, -1 as change from removed) as changed
        cross join lateral (
          select '' as key
          union all select 'model:' || model where model is not null
          union all select 'group:' || group_id where group_id is not null
        ) as counted
        where archived_at is null
        group by organization_id, counted.key having sum(change) <> 0;
      end if;
      return null;
    end $$;
    create trigger assets_insert_changes after insert on assets
      referencing new table as added for each statement execute function record_assets_changes();
    create trigger assets_update_changes after update on assets
      referencing old table as removed new table as added for each statement execute function record_assets_changes();
    create trigger assets_delete_changes after delete on assets
      referencing old table as removed for each statement execute function record_assets_changes()`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table assets;
    drop function record_assets_changes, asset_grams, asset_grams_query`);
