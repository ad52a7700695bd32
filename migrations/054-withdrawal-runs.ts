import type { Knex } from 'knex';

/** Each withdrawal has a run of its own, which a sweep starts. */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table group_withdrawals add column workflow_checked_at timestamptz;
    comment on column group_withdrawals.workflow_checked_at is
      'When the run of the withdrawal last made a step, or was last looked for. Null: it has to be started.'`);

export const down = (sql: Knex) => sql.raw('alter table group_withdrawals drop column workflow_checked_at');
