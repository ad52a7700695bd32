import type { Knex } from 'knex';

/**
 * Neither `state` nor `updated_at` is indexed, and a page keeps room for another version of each row, so that most
 * updates stay on their page (HOT): a job changes the state of all its targets twice. Searches of a large job find
 * unfinished targets by `is_active`, and targets that went wrong by their reason.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table config_targets (
      organization_id uuid not null,
      job_id uuid not null,
      asset_id uuid not null,
      stage smallint not null default 1,
      change_config_id uuid not null,
      state text not null,
      reason text,
      is_active boolean not null default true,
      confirmed_at timestamptz,
      updated_at timestamptz not null default now(),
      group_id uuid,
      lost_keys text[],
      constraint config_targets_pkey primary key (organization_id, job_id, asset_id),
      constraint config_targets_stage_check check (stage >= 1),
      constraint config_targets_state_check check
        (state in ('queued', 'waiting', 'sent', 'applied', 'failed', 'cancelled', 'superseded', 'timed_out'))
    ) with (fillfactor = 45);
    create index config_targets_active_idx on config_targets (organization_id, asset_id) where is_active;
    create index config_targets_asset_idx on config_targets (organization_id, asset_id, job_id);
    create index config_targets_unsettled_idx on config_targets (organization_id, job_id, asset_id) where is_active;
    create index config_targets_reason_idx on config_targets (organization_id, job_id, asset_id)
      where reason is not null;
    comment on table config_targets is
      'The devices of a job, one row each. No foreign keys: a job writes up to 100,000 rows at once.';
    comment on column config_targets.stage is 'Of the job; the device is queued until it begins.';
    comment on column config_targets.change_config_id is
      'Id of the configuration (in configurations) that holds what the job changes on this device.';
    comment on column config_targets.reason is
      'Why the target failed, was cancelled or superseded, or timed out, as text for the customer. Else null.';
    comment on column config_targets.is_active is
      'True: the device may still come to run the change, so fetches, reports and later changes have to look at '
      'this row. It may stay true after the target has failed or timed out, and is false before the start of a '
      'scheduled job.';
    comment on column config_targets.confirmed_at is
      'When the device confirmed the change, also after the target had failed or timed out. Null: not confirmed.';
    comment on column config_targets.group_id is
      'The group for whose profile the device has the change: it is withdrawn when the device leaves the group. '
      'Null: the change was asked for by itself.';
    comment on column config_targets.lost_keys is
      'Settings of the change that another job has overwritten since, or brought so that the device confirmed them '
      'alone: what is pending of them is not pending for this target. Null: none.';
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
      for each statement execute function record_config_targets_changes()`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table config_targets;
    drop function record_config_targets_changes`);
