import type { Knex } from 'knex';

/**
 * A job's hold on one device. `live`: the device may still come to run the change, so fetches, reports and later
 * changes look here; it outlives the state of a failed or timed-out target. Neither `state` nor `updated_at` is indexed,
 * so that most changes stay on their page, and there are no foreign keys: a job writes up to 100,000 rows at once, and
 * neither jobs nor assets are ever removed.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table config_targets (
      job_id uuid not null,
      asset_id uuid not null,
      organization_id uuid not null,
      stage smallint not null default 1,
      change_config_id uuid not null,
      state text not null,
      reason text,
      live boolean not null default true,
      confirmed_at timestamptz,
      updated_at timestamptz not null default now(),
      constraint config_targets_pkey primary key (job_id, asset_id),
      constraint config_targets_state_check check
        (state in ('queued', 'waiting', 'sent', 'applied', 'failed', 'cancelled', 'superseded', 'timed_out'))
    ) with (fillfactor = 70);
    create index config_targets_live on config_targets (asset_id) where live`);

export const down = (sql: Knex) => sql.raw('drop table config_targets');
