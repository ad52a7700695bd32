import type { Knex } from 'knex';

/** The triggers are committed before anything is counted: from then on every change is recorded. */
export const config = { transaction: false };

/**
 * How many devices are in each state, kept like the totals of lists. Frames update device_states row by row, and seldom
 * change what is counted here: a condition of the trigger costs them less than a table of all changed rows. Jobs update
 * device_configs thousands of rows at a time, which a trigger per statement adds up.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = '5s'`);
    for (const statement of [STATES, CONFIGS, COMMENTS]) await trx.raw(statement);
  });
  await sql.raw(COUNT_ALL);
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw(`
    drop function record_device_states_insert cascade;
    drop function record_device_states_change cascade;
    drop function record_device_configs_changes cascade;
    delete from list_totals where list = 'devices';
    delete from list_changes where list = 'devices';
    comment on column list_totals.list is
      'assets: the active ones; alerts; targets:<job id>, while the job runs.';
    comment on column list_totals.key is
      'assets: empty for all, model:<model> for those of a model. alerts: the status, and type:<type>:<status>. targets: the state.'`);
}

const STATES = `
  create or replace function record_device_states_insert() returns trigger language plpgsql as $$
  begin
    insert into list_changes (organization_id, list, key, change)
    select organization_id, 'devices', counted.key, count(*) from added
    cross join lateral (values ('status:' || status), ('battery:' || battery_status)) as counted (key)
    where is_active group by organization_id, counted.key;
    return null;
  end $$;
  create or replace trigger device_states_insert_changes after insert on device_states
    referencing new table as added for each statement execute function record_device_states_insert();

  create or replace function record_device_states_change() returns trigger language plpgsql as $$
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
  create or replace trigger device_states_update_changes after update on device_states for each row
    when (old.status <> new.status or old.battery_status <> new.battery_status or old.is_active <> new.is_active)
    execute function record_device_states_change()`;

const CONFIGS = `
  create or replace function record_device_configs_changes() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into list_changes (organization_id, list, key, change)
      select organization_id, 'devices', 'sync:' || sync_status, count(*) from added
      where is_active group by organization_id, sync_status;
    else
      insert into list_changes (organization_id, list, key, change)
      select organization_id, 'devices', 'sync:' || sync_status, sum(change)
      from (select *, 1 as change from added union all select *, -1 as change from removed) as changed
      where is_active group by organization_id, sync_status having sum(change) <> 0;
    end if;
    return null;
  end $$;
  create or replace trigger device_configs_insert_changes after insert on device_configs
    referencing new table as added for each statement execute function record_device_configs_changes();
  create or replace trigger device_configs_update_changes after update on device_configs
    referencing old table as removed new table as added
    for each statement execute function record_device_configs_changes()`;

const COMMENTS = `
  comment on column list_totals.list is
    'assets: the active ones; alerts; targets:<job id>, while the job runs; devices: active ones by state.';
  comment on column list_totals.key is
    'assets: empty for all, model:<model> for those of a model. alerts: the status, and type:<type>:<status>. '
    'targets: the state. devices: status:, battery: or sync: and the value.'`;

/** One snapshot shows the rows and the changes that are recorded for some of them: the rest is the total. */
const COUNT_ALL = `
  insert into list_totals (organization_id, list, key, total)
  select organization_id, list, key, sum(count) from (
    select organization_id, 'devices' as list, 'status:' || status as key, count(*) from device_states
    where is_active group by 1, 3
    union all
    select organization_id, 'devices', 'battery:' || battery_status, count(*) from device_states
    where is_active group by 1, 3
    union all
    select organization_id, 'devices', 'sync:' || sync_status, count(*) from device_configs
    where is_active group by 1, 3
    union all
    select organization_id, list, key, -sum(change) from list_changes
    where list = 'devices' group by 1, 2, 3
  ) as counted
  group by 1, 2, 3 order by 1, 2, 3
  on conflict on constraint list_totals_pkey do update set total = excluded.total`;
