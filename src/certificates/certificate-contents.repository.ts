/**
 * The contents of certificates, in chunks. A content without a certificate is listed for removal: from the
 * beginning of its upload until a certificate refers to it, and again when that certificate is replaced.
 */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { workOnDueRows } from '../db/due-rows.ts';
import { query } from '../db/query.ts';
import { REMOVE_CONTENT, REMOVE_DUE, REMOVED_AFTER } from './certificate-contents.statements.ts';

interface ContentRef {
  organization_id: string;
  content_id: string;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    certificate_chunks: ContentRef & { position: number; content: Buffer };
    certificate_removals: ContentRef & { due_at: Date };
  }
}

export type CertificateContentsRepository = ReturnType<typeof createCertificateContentsRepository>;

export function createCertificateContentsRepository(sql: Database) {
  return {
    /** Returns the id of the new content. */
    async insert(organizationId: string): Promise<string> {
      const [row] = await sql('certificate_removals')
        .insert({
          organization_id: organizationId,
          content_id: sql.raw('uuidv7()'),
          due_at: sql.raw(`now() + ${REMOVED_AFTER}`),
        })
        .returning('content_id');
      return (row as { content_id: string }).content_id;
    },

    async insertChunk(
      organizationId: string,
      contentId: string,
      position: number,
      chunk: Buffer,
    ): Promise<void> {
      await sql('certificate_chunks').insert({
        organization_id: organizationId,
        content_id: contentId,
        position,
        content: chunk,
      });
    },

    /** Null after the last chunk, and when the content was removed. */
    async findChunk(organizationId: string, contentId: string, position: number): Promise<Buffer | null> {
      const row = await sql('certificate_chunks')
        .where({ organization_id: organizationId, content_id: contentId, position })
        .first();
      return row?.content ?? null;
    },

    /** Removes the content of an aborted upload. */
    async remove(organizationId: string, contentId: string): Promise<void> {
      await query(sql, REMOVE_CONTENT, { organizationId, contentId });
    },

    /** One at a time, so that no statement runs long. */
    async removeDue(): Promise<void> {
      for (let removed = 1; removed > 0; ) {
        const list = acrossOrganizations(sql('certificate_removals'))
          .where('due_at', '<=', sql.fn.now())
          .orderBy('due_at')
          .limit(100)
          .select({ organizationId: 'organization_id', id: 'content_id' });
        removed = (await workOnDueRows(sql, { list, work: REMOVE_DUE })).length;
      }
    },
  };
}
