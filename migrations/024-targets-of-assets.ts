import type { Knex } from 'knex';

/** What was done to a device last, whatever the state of its targets; and the zones that schedules keep to. */
export const up = (sql: Knex) =>
  sql.raw(`
    create index config_targets_of_asset on config_targets (asset_id, job_id);
    create index config_jobs_zones on config_jobs ((parts -> 'schedule' ->> 'timezone'))
      where parts -> 'schedule' ->> 'timezone' is not null`);

export const down = (sql: Knex) =>
  sql.raw('drop index config_jobs_zones; drop index config_targets_of_asset');
