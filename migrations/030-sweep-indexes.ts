import type { Knex } from 'knex';

/** `concurrently` does not run in a transaction. */
export const config = { transaction: false };

const SWEEP = 'Without organization_id: a sweep of the worker over all organizations.';

interface Index {
  name: string;
  on: string;
  comment?: string;
}

const INDEXES: Index[] = [
  {
    name: 'device_states_overdue_idx',
    on: `device_states (overdue_check_at) where status = 'online'`,
    comment: SWEEP,
  },
  {
    name: 'device_configs_utc_offset_idx',
    on: 'device_configs (utc_offset_check_at) where utc_offset_check_at is not null',
    comment: SWEEP,
  },
  {
    name: 'config_jobs_without_workflow_idx',
    on: `config_jobs (coalesce(workflow_checked_at, '-infinity')) where status = 'running'`,
    comment: SWEEP,
  },
  {
    name: 'config_jobs_ended_idx',
    on: 'config_jobs (coalesce(purge_checked_at, finished_at)) where finished_at is not null',
    comment: SWEEP,
  },
  { name: 'configurations_last_used_idx', on: 'configurations (last_used_at)', comment: SWEEP },
  {
    name: 'alerts_resolved_idx',
    on: `alerts (updated_at) where status = 'resolved'`,
    comment: SWEEP,
  },
  { name: 'alerts_status_idx', on: 'alerts (organization_id, status, id)' },
];

export async function up(sql: Knex): Promise<void> {
  for (const { name, on, comment } of INDEXES) {
    // A build that was interrupted leaves an invalid index behind.
    await sql.raw(`drop index concurrently if exists ${name}`);
    await sql.raw(`create index concurrently ${name} on ${on}`);
    if (comment) await sql.raw(`comment on index ${name} is '${comment}'`);
  }
}

export async function down(sql: Knex): Promise<void> {
  for (const { name } of INDEXES) await sql.raw(`drop index concurrently if exists ${name}`);
}
