import type { Knex } from 'knex';

/**
 * Content addressing lets 100,000 devices share a row: a merge writes one row per distinct result, and a
 * confirmation only moves a pointer.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table configurations (
      organization_id uuid not null,
      id uuid not null,
      content json not null,
      last_used_at timestamptz not null default now(),
      constraint configurations_pkey primary key (organization_id, id),
      constraint configurations_organization_fkey foreign key (organization_id) references organizations (id)
    );
    create index configurations_last_used_idx on configurations (last_used_at);
    comment on table configurations is
      'Device configurations, immutable and content-addressed: devices with the same configuration share one row. '
      'What nothing refers to is removed. Columns that point here have no foreign key, which would cost a check per '
      'device whenever a profile is applied.';
    comment on column configurations.id is
      'UUIDv8 made from a SHA-256 of the organization and the content: whoever has the content knows the id.';
    comment on column configurations.content is
      'Seconds, degrees Celsius and minutes. A key that is absent says nothing about the device. Type json keeps '
      'the text.';
    comment on column configurations.last_used_at is
      'When a row was last made to refer to this one, to within a day, or the collector last found a reference.';
    comment on index configurations_last_used_idx is
      'Without organization_id: a sweep of the worker over all organizations.'`);

export const down = (sql: Knex) => sql.raw('drop table configurations');
