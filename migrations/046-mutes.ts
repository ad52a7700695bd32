import type { Knex } from 'knex';

export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    create table mutes (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      asset_id uuid,
      group_id uuid,
      starts_at timestamptz not null default now(),
      ends_at timestamptz not null,
      reason text not null,
      actor jsonb not null,
      constraint mutes_pkey primary key (organization_id, id),
      constraint mutes_target_check check (num_nonnulls(asset_id, group_id) = 1),
      constraint mutes_end_check check (ends_at >= starts_at)
    );
    create index mutes_asset_idx on mutes (organization_id, asset_id, ends_at) where asset_id is not null;
    create index mutes_group_idx on mutes (organization_id, group_id, ends_at) where group_id is not null;
    comment on table mutes is
      'Times of maintenance, in which nobody is notified of the alerts of an asset or of the members of a group. Of one '
      'asset or group they do not overlap: a mute that is replaced ends when the next one begins. Rows stay for the '
      'statistics.';
    comment on column mutes.asset_id is 'Null: the members of a group are muted.';
    comment on column mutes.group_id is
      'The group may be deleted by now; its mute ended then. Null: a single asset is muted.';
    comment on column mutes.ends_at is 'As it was asked for, or earlier where it was ended or replaced.';
    comment on column mutes.actor is 'Who muted: key and name, as in audit_entries.'`);
  await sql.raw(`
    create table asset_groups (
      organization_id uuid not null,
      asset_id uuid not null,
      from_at timestamptz not null,
      group_id uuid,
      constraint asset_groups_pkey primary key (organization_id, asset_id, from_at),
      constraint asset_groups_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id)
    );
    comment on table asset_groups is
      'Which group each asset was in and when: a row for each time, which lasts until the next row of the asset. Rows are '
      'added and never changed. Which group it is in now is in assets.group_id.';
    comment on column asset_groups.group_id is 'Null: in none. The group may be deleted by now.'`);
  await sql.raw(`
    insert into asset_groups (organization_id, asset_id, from_at, group_id)
    select organization_id, id, now(), group_id from assets where group_id is not null`);
}

export const down = (sql: Knex) => sql.raw('drop table asset_groups; drop table mutes');
