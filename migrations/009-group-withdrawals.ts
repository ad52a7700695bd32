import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table group_withdrawals (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      group_id uuid not null,
      last_job_id uuid not null,
      reason text not null,
      is_deletion boolean not null,
      after_asset_id uuid,
      constraint group_withdrawals_pkey primary key (organization_id, id)
    );
    comment on table group_withdrawals is
      'Very large groups that have another profile now, or were deleted: the change of their former profile is '
      'withdrawn from the members chunk by chunk. Removed when all are done.';
    comment on column group_withdrawals.last_job_id is
      'Of the organization, when the group was changed: what later jobs offer stays.';
    comment on column group_withdrawals.reason is 'Why targets are cancelled, for the customer.';
    comment on column group_withdrawals.is_deletion is 'Members leave the group, and then it is removed.';
    comment on column group_withdrawals.after_asset_id is 'The last member that is done. Null: none is.'`);

export const down = (sql: Knex) => sql.raw('drop table group_withdrawals');
