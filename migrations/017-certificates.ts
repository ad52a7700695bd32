import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table certificates (
      organization_id uuid not null,
      serial_key text not null collate "C",
      content_id uuid not null,
      size_bytes integer not null,
      sha256 bytea not null,
      uploaded_at timestamptz not null default now(),
      constraint certificates_pkey primary key (organization_id, serial_key),
      constraint certificates_organization_fkey foreign key (organization_id) references organizations (id),
      constraint certificates_size_bytes_check check (size_bytes >= 0)
    );
    comment on table certificates is
      'Calibration certificates by serial number, so that they stay with the logger when it moves to another asset.';
    comment on column certificates.serial_key is 'The serial number in lower case.';
    comment on column certificates.content_id is 'Id of its chunks in certificate_chunks; each upload has a new one.'`);

export const down = (sql: Knex) => sql.raw('drop table certificates');
