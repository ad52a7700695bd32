import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table alerts (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      asset_id uuid not null,
      serial_number text not null,
      type text not null,
      status text not null default 'new',
      details jsonb not null,
      started_at timestamptz not null,
      updated_at timestamptz not null default now(),
      is_announced boolean not null default true,
      constraint alerts_pkey primary key (organization_id, id),
      constraint alerts_asset_fkey foreign key (organization_id, asset_id) references assets (organization_id, id),
      constraint alerts_status_check check (status in ('new', 'acknowledged', 'resolved')),
      constraint alerts_type_check check (type in ('high_temp', 'low_temp', 'no_data', 'low_battery', 'sensor_error'))
    );
    create index alerts_asset_idx on alerts (organization_id, asset_id, id);
    create index alerts_unannounced_idx on alerts (organization_id, id)
      where not is_announced and status <> 'resolved';
    create index alerts_resolved_idx on alerts (updated_at) where status = 'resolved';
    create index alerts_status_idx on alerts (organization_id, status, id);
    create index alerts_type_idx on alerts (organization_id, type, id);
    comment on table alerts is
      'Alerts, open and resolved. Which ones are open for a device is also in device_states.open_alerts, under the '
      'lock that its readings take.';
    comment on column alerts.serial_number is 'Of the logger that the asset had when the alert began.';
    comment on column alerts.details is
      'For temperatures: channel, the value that opened the alert and the bounds, in degrees Celsius, and resolution '
      'when its schedule ended it; for no_data: '
      'the deadline that was missed; for sensor_error: channel and error code.';
    comment on column alerts.started_at is 'Time of the reading that opened it; for no_data, of the missed deadline.';
    comment on column alerts.is_announced is
      'False: alert.created was not published, because the device was overdue with many others: see overdue_fleets. '
      'Nor is alert.resolved then.';
    comment on index alerts_resolved_idx is 'Without organization_id: a sweep of the worker over all organizations.';
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
      referencing old table as removed for each statement execute function record_alerts_changes()`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table alerts;
    drop function record_alerts_changes`);
