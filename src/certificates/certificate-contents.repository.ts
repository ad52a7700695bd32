/**
 * The contents of certificates, in chunks. A content that no certificate refers to is listed for removal: from the
 * beginning of its upload until a certificate takes it over, and again when that certificate is replaced.
 */
import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';

const DUE = {
  text: `select distinct organization_id as "organizationId" from certificate_removals where due_at <= now()`,
};

export type CertificateContentsRepository = ReturnType<typeof createCertificateContentsRepository>;

/** Longer than any upload may take, and any download. */
export const REMOVED_AFTER = `interval '1 hour'`;

export function createCertificateContentsRepository(sql: Sql) {
  return {
    /** Answers with the id of the new content. */
    async insert(organizationId: string): Promise<string> {
      const [row] = await query<{ contentId: string }>(
        sql,
        `insert into certificate_removals (organization_id, content_id, due_at)
         values (?, uuidv7(), now() + ${REMOVED_AFTER}) returning content_id as "contentId"`,
        [organizationId],
      );
      return (row as { contentId: string }).contentId;
    },

    async insertChunk(
      organizationId: string,
      contentId: string,
      position: number,
      chunk: Buffer,
    ): Promise<void> {
      await query(
        sql,
        'insert into certificate_chunks (organization_id, content_id, position, content) values (?, ?, ?, ?)',
        [organizationId, contentId, position, chunk],
      );
    },

    /** Null after the last one, and when the content was removed. */
    async findChunk(organizationId: string, contentId: string, position: number): Promise<Buffer | null> {
      const [row] = await query<{ content: Buffer }>(
        sql,
        `select content from certificate_chunks
         where organization_id = ? and content_id = ? and position = ?`,
        [organizationId, contentId, position],
      );
      return row?.content ?? null;
    },

    /** Of an upload that broke off. */
    async remove(organizationId: string, contentId: string): Promise<void> {
      await query(
        sql,
        `with listed as (
           delete from certificate_removals where organization_id = ? and content_id = ?
           returning organization_id, content_id
         )
         delete from certificate_chunks c using listed l
         where c.organization_id = l.organization_id and c.content_id = l.content_id`,
        [organizationId, contentId],
      );
    },

    /** One at a time, so that no statement runs long. */
    async removeDue(): Promise<void> {
      for (let removed = 1; removed > 0; ) {
        const rows = await eachOrganization(sql, DUE, (organizationId) => {
          const own = organizationId === null ? '' : 'organization_id = ? and';
          return query(
            sql,
            `with due as (
             select organization_id, content_id from certificate_removals
             where ${own} due_at <= now() order by due_at limit 1 for update skip locked
           ), chunks as (
             delete from certificate_chunks c using due d
             where c.organization_id = d.organization_id and c.content_id = d.content_id
           )
           delete from certificate_removals r using due d
           where r.organization_id = d.organization_id and r.content_id = d.content_id
           returning 1`,
            oneOrNone(organizationId),
          );
        });
        removed = rows.length;
      }
    },
  };
}
