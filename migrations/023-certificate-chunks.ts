import type { Knex } from 'knex';

const BATCH = 20;
/** As the service cuts them. */
const CHUNK_BYTES = 65_536;

/** Without one: each batch is committed by itself, and holds its rows for a moment only. A run that broke off goes on. */
export const config = { transaction: false };

/**
 * `content` stays until no process of the version before runs: these read and write it alone. What they write has
 * another sha256 than its chunks have.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    alter table certificates
      add column if not exists content_id uuid,
      add column if not exists chunked_sha256 bytea;
    comment on column certificates.content_id is
      'Of its chunks; each upload has a new one. Null: the version before has stored it, in one piece.';
    comment on column certificates.chunked_sha256 is
      'Of the chunks; null when there are none. Another one than sha256: the version before has replaced it, in one piece.';

    create table if not exists certificate_chunks (
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

    create table if not exists certificate_removals (
      organization_id uuid not null,
      content_id uuid not null,
      due_at timestamptz not null,
      constraint certificate_removals_pkey primary key (organization_id, content_id),
      constraint certificate_removals_organization_fkey foreign key (organization_id) references organizations (id)
    );
    create index if not exists certificate_removals_due_idx on certificate_removals (due_at);
    comment on table certificate_removals is
      'Contents that no certificate refers to: of uploads that are under way or broke off, and of replaced certificates.';
    comment on index certificate_removals_due_idx is
      'Not by organization: a sweep removes what is due in all of them.'`);
  for (let isLast = false; !isLast; ) isLast = (await chunkBatch(sql)) < BATCH;
}

/** Answers with the number of certificates that it has chunked. */
async function chunkBatch(sql: Knex): Promise<number> {
  const { rowCount } = await sql.raw(
    `with batch as (
       select organization_id, serial_key, sha256, size_bytes, content, uuidv7() as content_id
       from certificates where content_id is null limit ${BATCH} for update
     ), chunks as (
       insert into certificate_chunks (organization_id, content_id, position, content)
       select b.organization_id, b.content_id, n, substring(b.content from n * ${CHUNK_BYTES} + 1 for ${CHUNK_BYTES})
       from batch b cross join generate_series(0, (b.size_bytes - 1) / ${CHUNK_BYTES}) as n
     )
     update certificates c set content_id = b.content_id, chunked_sha256 = b.sha256 from batch b
     where c.organization_id = b.organization_id and c.serial_key = b.serial_key`,
  );
  return rowCount;
}

export const down = (sql: Knex) =>
  sql.raw(`
    drop table certificate_removals;
    drop table certificate_chunks;
    alter table certificates drop column content_id, drop column chunked_sha256`);
