import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table certificates (
      organization_id uuid not null,
      serial_key text not null collate "C",
      content bytea not null,
      size_bytes integer not null,
      sha256 bytea not null,
      uploaded_at timestamptz not null default now(),
      constraint certificates_pkey primary key (organization_id, serial_key),
      constraint certificates_organization_fkey foreign key (organization_id) references organizations (id)
    );
    alter table certificates alter column content set storage external`);

export const down = (sql: Knex) => sql.raw('drop table certificates');
