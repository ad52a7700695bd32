import type { Knex } from 'knex';

/** The built-in collation lowers letters in the same way on every server. */
export const up = (sql: Knex) =>
  sql.raw(`
    create table groups (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      name text not null,
      profile_slug text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      constraint groups_pkey primary key (organization_id, id),
      constraint groups_profile_fkey foreign key (organization_id, profile_slug)
        references profiles (organization_id, slug)
    );
    create unique index groups_name_idx on groups (organization_id, casefold(name collate pg_unicode_fast))
      where deleted_at is null;
    comment on table groups is
      'Sets of assets; an asset is in one at most (assets.group_id). Whoever lets an asset join or leave locks the '
      'row for share, and whoever changes the profile for update: so each new member gets the profile, the one or '
      'the other way.';
    comment on column groups.name is 'Unique within the organization, compared without case.';
    comment on column groups.profile_slug is 'The profile that members are to run. Null: none.';
    comment on column groups.deleted_at is
      'For customers the group is gone, and its name is free. Null: the group is in use.'`);

export const down = (sql: Knex) => sql.raw('drop table groups');
