import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table overdue_fleets (
      organization_id uuid not null,
      began_at timestamptz not null default now(),
      since timestamptz not null,
      overdue_count integer not null,
      total_count integer not null,
      confirmed_at timestamptz,
      constraint overdue_fleets_pkey primary key (organization_id)
    );
    comment on table overdue_fleets is
      'Organizations of which many devices missed their contact at once: until it is over or confirmed, their '
      'devices go offline without an event each. One row per organization, removed when it ends.';
    comment on column overdue_fleets.since is 'The first deadline that was missed.';
    comment on column overdue_fleets.overdue_count is 'Devices that were found overdue at once.';
    comment on column overdue_fleets.total_count is 'Active devices of the organization at that time.';
    comment on column overdue_fleets.confirmed_at is
      'When the operator confirmed that these devices are overdue indeed. Null: not confirmed.'`);

export const down = (sql: Knex) => sql.raw('drop table overdue_fleets');
