import type { Knex } from 'knex';

/** What a change of a large group leaves to do, device by device. */
export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
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
      'Very large groups that have another profile now, or were deleted: the change of their former profile is withdrawn '
      'from the members chunk by chunk. Removed when all are done.';
    comment on column group_withdrawals.last_job_id is
      'Of the organization, when the group was changed: what later jobs offer stays.';
    comment on column group_withdrawals.reason is 'Why targets are cancelled, for the customer.';
    comment on column group_withdrawals.is_deletion is 'Members leave the group, and then it is removed.';
    comment on column group_withdrawals.after_asset_id is 'The last member that is done. Null: none is.';
    alter table groups add column deleted_at timestamptz;
    comment on column groups.deleted_at is
      'For customers the group is gone, and its name is free. Null: the group is in use.';
    drop index groups_name_idx;
    create unique index groups_name_idx on groups (organization_id, lower(name collate pg_c_utf8))
      where deleted_at is null`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop index groups_name_idx;
    update assets a set group_id = null from groups g
      where g.organization_id = a.organization_id and g.id = a.group_id and g.deleted_at is not null;
    delete from groups where deleted_at is not null;
    alter table groups drop column deleted_at;
    create unique index groups_name_idx on groups (organization_id, lower(name collate pg_c_utf8));
    drop table group_withdrawals`);
