import type { Knex } from 'knex';

const NAME = '064-overdue-checks';

/**
 * The sweep moves the check of each device about as often as the device sends. As an indexed column of device_states,
 * each move wrote a new row and every index of that table, which took as much of the write-ahead log as the frames. A
 * process of an earlier release would write the column that is gone, hence `needed_migration`.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    create table overdue_checks (
      organization_id uuid not null,
      asset_id uuid not null,
      check_at timestamptz not null,
      constraint overdue_checks_pkey primary key (organization_id, asset_id),
      constraint overdue_checks_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id)
    );
    insert into overdue_checks (organization_id, asset_id, check_at)
      select organization_id, asset_id, overdue_check_at from device_states where status = 'online';
    create index overdue_checks_due_idx on overdue_checks (check_at);
    alter table device_states drop column overdue_check_at;
    comment on table overdue_checks is
      'When the sweep looks whether a device is overdue: a narrow row, since it moves about as often as the device '
      'sends. No row: the device has never had a deadline.';
    comment on column overdue_checks.check_at is
      'Never later than device_states.expected_by. Contacts bring it forward only; the sweep moves it on, to infinity '
      'where there is no deadline.';
    comment on index overdue_checks_due_idx is
      'Without organization_id: a sweep of the worker over all organizations.'`);
  await sql('schema_support').update({ needed_migration: NAME });
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw(`
    alter table device_states add column overdue_check_at timestamptz not null default '-infinity';
    create index device_states_overdue_idx on device_states (overdue_check_at) where status = 'online';
    comment on column device_states.overdue_check_at is
      'When the sweep looks whether the device is overdue: never later than expected_by. Contacts bring it forward '
      'only; the sweep moves it on, to infinity where there is no deadline.';
    comment on index device_states_overdue_idx is
      'Without organization_id: a sweep of the worker over all organizations.';
    drop table overdue_checks`);
  await sql('schema_support').update({ needed_migration: '055-fresh-readings' });
}
