import type { Knex } from 'knex';

/** Neither `state` nor `updated_at` is indexed, so that most updates stay on their page (HOT). */
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
      constraint config_targets_pkey primary key (organization_id, job_id, asset_id),
      constraint config_targets_state_check check
        (state in ('queued', 'waiting', 'sent', 'applied', 'failed', 'cancelled', 'superseded', 'timed_out')),
      constraint config_targets_stage_check check (stage >= 1)
    ) with (fillfactor = 70);
    create index config_targets_active_idx on config_targets (organization_id, asset_id) where is_active;
    create index config_targets_asset_idx on config_targets (organization_id, asset_id, job_id);
    comment on table config_targets is
      'The devices of a job, one row each. No foreign keys: a job writes up to 100,000 rows at once, and '
      'neither jobs nor assets are ever deleted.';
    comment on column config_targets.stage is 'Of the job; the device is queued until it begins.';
    comment on column config_targets.change_config_id is
      'Id of the configuration (in configurations) that holds what the job changes on this device.';
    comment on column config_targets.reason is
      'Why the target failed, was cancelled or superseded, or timed out, as text for the customer. Else '
      'null.';
    comment on column config_targets.is_active is
      'True: the device may still come to run the change, so fetches, reports and later changes have to '
      'look at this row. It may stay true after the target has failed or timed out.';
    comment on column config_targets.confirmed_at is
      'When the device confirmed the change, also after the target had failed or timed out. Null: not '
      'confirmed.'`);

export const down = (sql: Knex) => sql.raw('drop table config_targets');
