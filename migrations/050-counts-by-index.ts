import type { Knex } from 'knex';

const NAME = '050-counts-by-index';

/**
 * Lists are counted by an index. Releases that read the kept totals do not run on this schema, and say so when they
 * start. Dropping the functions drops their triggers.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    drop function record_assets_changes, record_device_configs_changes, record_device_states_insert,
      record_device_states_change, record_config_targets_changes, record_alerts_changes cascade;
    drop table list_totals, list_changes;
    comment on column assets.group_id is 'Null: in no group, or archived.'`);
  await sql('schema_support').update({ needed_migration: NAME });
}

/** Counts everything once, because the triggers record changes alone. */
export async function down(sql: Knex): Promise<void> {
  await sql.raw(TABLES);
  for (const triggers of [ASSETS, DEVICE_CONFIGS, DEVICE_STATES, CONFIG_TARGETS, ALERTS])
    await sql.raw(triggers);
  await sql.raw(TOTALS);
  await sql('schema_support').update({ needed_migration: '038-schema-support' });
}

const TABLES = `
    create table list_totals (
      organization_id uuid not null,
      list text not null collate "C",
      key text not null collate "C",
      total bigint not null,
      constraint list_totals_pkey primary key (organization_id, list, key)
    ) with (fillfactor = 50);
    comment on table list_totals is
      'How many rows lists have, kept because counting takes longer the more there are. A total is this row and the '
      'changes that are not added to it yet (list_changes).';
    comment on column list_totals.list is
      'assets: the active ones; alerts; targets:<job id>, while the job runs; devices: active ones by state.';
    comment on column list_totals.key is
      'assets: empty for all, model:<model> for those of a model. alerts: the status, and type:<type>:<status>. '
      'targets: the state. devices: status:, battery: or sync: and the value, profile:none for those without one.';
    create table list_changes (
      organization_id uuid not null,
      list text not null collate "C",
      key text not null collate "C",
      id uuid not null default uuidv7(),
      change bigint not null,
      constraint list_changes_pkey primary key (organization_id, list, key, id)
    );
    comment on table list_changes is
      'Changes of list_totals, written by triggers in the transaction of the change; the worker adds them to the '
      'totals every few seconds.';
    comment on column assets.group_id is
      'Null: in no group, or archived. How many are in a group is kept in list_totals, list assets, key group:<id>.'`;

const TOTALS = `
    insert into list_totals (organization_id, list, key, total)
    select organization_id, 'assets', counted.key, count(*) from assets
    cross join lateral (values (''), ('model:' || model), ('group:' || group_id)) as counted (key)
    where archived_at is null and counted.key is not null group by 1, 2, 3
    union all
    select organization_id, 'devices', counted.key, count(*) from device_states
    cross join lateral (values ('status:' || status), ('battery:' || battery_status)) as counted (key)
    where is_active group by 1, 2, 3
    union all
    select organization_id, 'devices', counted.key, count(*) from device_configs
    cross join lateral (
      values ('sync:' || sync_status), (case when not has_had_profile then 'profile:none' end)
    ) as counted (key)
    where is_active and counted.key is not null group by 1, 2, 3
    union all
    select organization_id, 'alerts', counted.key, count(*) from alerts
    cross join lateral (values (status), ('type:' || type || ':' || status)) as counted (key)
    group by 1, 2, 3
    union all
    select organization_id, 'targets:' || job_id, state, count(*) from config_targets t
    where exists (
      select from config_jobs j where j.organization_id = t.organization_id and j.id = t.job_id and finished_at is null
    )
    group by 1, 2, 3`;

const ASSETS = `
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
      referencing old table as removed for each statement execute function record_assets_changes()`;

const DEVICE_CONFIGS = `
    create function record_device_configs_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'devices', kept.key, count(*) from added
        cross join lateral (
          values ('sync:' || sync_status), (case when not has_had_profile then 'profile:none' end)
        ) as kept (key)
        where is_active and kept.key is not null group by organization_id, kept.key;
      else
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'devices', kept.key, sum(change)
        from (select *, 1 as change from added union all select *, -1 as change from removed) as changed
        cross join lateral (
          values ('sync:' || sync_status), (case when not has_had_profile then 'profile:none' end)
        ) as kept (key)
        where is_active and kept.key is not null
        group by organization_id, kept.key having sum(change) <> 0;
      end if;
      return null;
    end $$;
    create trigger device_configs_insert_changes after insert on device_configs
      referencing new table as added for each statement execute function record_device_configs_changes();
    create trigger device_configs_update_changes after update on device_configs
      referencing old table as removed new table as added
      for each statement execute function record_device_configs_changes()`;

const DEVICE_STATES = `
    create function record_device_states_insert() returns trigger language plpgsql as $$
    begin
      insert into list_changes (organization_id, list, key, change)
      select organization_id, 'devices', counted.key, count(*) from added
      cross join lateral (values ('status:' || status), ('battery:' || battery_status)) as counted (key)
      where is_active group by organization_id, counted.key;
      return null;
    end $$;
    create trigger device_states_insert_changes after insert on device_states
      referencing new table as added for each statement execute function record_device_states_insert();
    create function record_device_states_change() returns trigger language plpgsql as $$
    begin
      insert into list_changes (organization_id, list, key, change)
      select new.organization_id, 'devices', counted.key, sum(counted.change) from (
        select 'status:' || old.status as key, -1 as change where old.is_active
        union all select 'battery:' || old.battery_status, -1 where old.is_active
        union all select 'status:' || new.status, 1 where new.is_active
        union all select 'battery:' || new.battery_status, 1 where new.is_active
      ) as counted
      group by counted.key having sum(counted.change) <> 0;
      return null;
    end $$;
    create trigger device_states_update_changes after update on device_states for each row
      when (old.status <> new.status or old.battery_status <> new.battery_status or old.is_active <> new.is_active)
      execute function record_device_states_change()`;

const CONFIG_TARGETS = `
    create function record_config_targets_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'targets:' || job_id, state, sum(change)
        from (select *, 1 as change from added) as changed
        group by organization_id, job_id, state having sum(change) <> 0;
      else
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'targets:' || job_id, state, sum(change)
        from (select *, 1 as change from added union all select *, -1 as change from removed) as changed
        group by organization_id, job_id, state having sum(change) <> 0;
      end if;
      return null;
    end $$;
    create trigger config_targets_insert_changes after insert on config_targets
      referencing new table as added
      for each statement execute function record_config_targets_changes();
    create trigger config_targets_update_changes after update on config_targets
      referencing old table as removed new table as added
      for each statement execute function record_config_targets_changes()`;

const ALERTS = `
    create function record_alerts_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'alerts', counted.key, sum(change)
        from (select *, 1 as change from added) as changed
        cross join lateral (select status as key union all select 'type:' || type || ':' || status) as counted
        group by organization_id, counted.key having sum(change) <> 0;
      elsif tg_op = 'DELETE' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'alerts', counted.key, sum(change)
        from (select *, -1 as change from removed) as changed
        cross join lateral (select status as key union all select 'type:' || type || ':' || status) as counted
        group by organization_id, counted.key having sum(change) <> 0;
      else
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'alerts', counted.key, sum(change)
        from (select *, 1 as change from added union all select *, -1 as change from removed) as changed
        cross join lateral (select status as key union all select 'type:' || type || ':' || status) as counted
        group by organization_id, counted.key having sum(change) <> 0;
      end if;
      return null;
    end $$;
    create trigger alerts_insert_changes after insert on alerts
      referencing new table as added for each statement execute function record_alerts_changes();
    create trigger alerts_update_changes after update on alerts
      referencing old table as removed new table as added for each statement execute function record_alerts_changes();
    create trigger alerts_delete_changes after delete on alerts
      referencing old table as removed for each statement execute function record_alerts_changes()`;
