import type { Knex } from 'knex';

/**
 * What sweeps find by an index. A column that every contact writes must not be indexed, because each update would
 * then write every index of the table; these columns move only when a sweep looks at the row.
 * Existing rows, and those that processes of the version before insert, are due at once.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    create table leases (
      name text not null,
      owner uuid not null,
      leased_until timestamptz not null,
      constraint leases_pkey primary key (name)
    );
    comment on table leases is
      'Work that one process at a time does, one row each. Of the service itself, not of an organization; on '
      'Citus a reference table.';
    comment on column leases.owner is 'Chosen by the process when it started.';
    comment on column leases.leased_until is
      'On the clock of the database. A process that does not renew the lease by then has lost it.';

    alter table device_states add column overdue_check_at timestamptz not null default '-infinity';
    comment on column device_states.overdue_check_at is
      'When the sweep looks whether the device is overdue: never later than expected_by. Contacts bring it '
      'forward only; the sweep moves it on, to infinity where there is no deadline.';

    alter table device_configs add column utc_offset_check_at timestamptz default '-infinity';
    comment on column device_configs.utc_offset_check_at is
      'When the sweep compares the calendars with the offset of their time zone: at its next change, at most 30 '
      'days ahead. Null: no calendar follows a time zone.';

    alter table configurations add column last_used_at timestamptz not null default now();
    comment on column configurations.last_used_at is
      'When a row was last made to refer to this one, to within a day, or the collector last found a reference.';
    comment on table configurations is
      'Device configurations, immutable and content-addressed: devices with the same configuration share '
      'one row. What nothing refers to is removed. Columns that point here have no foreign key, which '
      'would cost a check per device whenever a profile is applied.';

    alter table config_jobs add column purge_checked_at timestamptz;
    alter table config_jobs drop constraint config_jobs_retry_of_job_fkey;
    comment on column config_jobs.purge_checked_at is
      'When the retention last kept targets of the job, because they tell what their devices run. Null: never.';
    comment on column config_jobs.retry_of_job_id is
      'The job whose failed devices this one takes up; it may have been removed since. Null: no retry.';
    comment on table config_targets is
      'The devices of a job, one row each. No foreign keys: a job writes up to 100,000 rows at once.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table leases;
    alter table device_states drop column overdue_check_at;
    alter table device_configs drop column utc_offset_check_at;
    alter table configurations drop column last_used_at;
    alter table config_jobs drop column purge_checked_at;
    alter table config_jobs add constraint config_jobs_retry_of_job_fkey
      foreign key (organization_id, retry_of_job_id) references config_jobs (organization_id, id) not valid;
    alter table config_jobs validate constraint config_jobs_retry_of_job_fkey`);
