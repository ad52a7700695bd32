import type { Knex } from 'knex';

/**
 * Immutable, content-addressed: the id is made of the organization and the content, so 100,000 devices share a row,
 * a merge writes one row per distinct result, and confirming moves a pointer. Rows are never changed or removed; the
 * tables that point here do so without foreign keys, which would cost one check per device and apply.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table configurations (
      id uuid not null,
      organization_id uuid not null,
      content json not null,
      constraint configurations_pkey primary key (id),
      constraint configurations_organization_fkey foreign key (organization_id) references organizations (id)
    )`);

export const down = (sql: Knex) => sql.raw('drop table configurations');
