import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table certificate_chunks (
      organization_id uuid not null,
      content_id uuid not null,
      position integer not null,
      content bytea storage external not null,
      constraint certificate_chunks_pkey primary key (organization_id, content_id, "position"),
      constraint certificate_chunks_organization_fkey foreign key (organization_id) references organizations (id)
    );
    comment on table certificate_chunks is
      'The content of certificates in pieces, so that it is written and read without being held in memory.';
    comment on column certificate_chunks.content is 'Stored uncompressed: files like these are compressed already.'`);

export const down = (sql: Knex) => sql.raw('drop table certificate_chunks');
