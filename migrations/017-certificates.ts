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
      'Calibration certificates by serial number, so that they stay with the logger when it moves to '
      'another asset.';
    comment on column certificates.serial_key is 'The serial number in lower case.';
    comment on column certificates.content_id is 'Of its chunks; each upload has a new one.';

    create table certificate_chunks (
      organization_id uuid not null,
      content_id uuid not null,
      position integer not null,
      content bytea storage external not null,
      constraint certificate_chunks_pkey primary key (organization_id, content_id, position),
      constraint certificate_chunks_organization_fkey foreign key (organization_id) references organizations (id)
    );
    comment on table certificate_chunks is
      'The content of certificates in pieces, so that it is written and read without being held in memory.';
    comment on column certificate_chunks.content is 'Stored uncompressed: files like these are compressed already.';

    create table certificate_removals (
      organization_id uuid not null,
      content_id uuid not null,
      due_at timestamptz not null,
      constraint certificate_removals_pkey primary key (organization_id, content_id),
      constraint certificate_removals_organization_fkey foreign key (organization_id) references organizations (id)
    );
    create index certificate_removals_due_idx on certificate_removals (due_at);
    comment on table certificate_removals is
      'Contents that no certificate refers to: of uploads that are under way or broke off, and of replaced certificates.';
    comment on index certificate_removals_due_idx is
      'Not by organization: a sweep removes what is due in all of them.'`);

export const down = (sql: Knex) =>
  sql.raw('drop table certificates; drop table certificate_chunks; drop table certificate_removals');
