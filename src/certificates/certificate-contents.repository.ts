/**
 * The contents of certificates, in chunks. A content without a certificate is listed for removal: from the
 * beginning of its upload until a certificate refers to it, and again when that certificate is replaced.
 */
import type { Knex } from 'knex';
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';

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

/** Longer than any upload or download may take. */
export const REMOVED_AFTER = `interval '1 hour'`;
const LISTED_AT_ONCE = 100;

export type CertificateContentsRepository = ReturnType<typeof createCertificateContentsRepository>;

export function createCertificateContentsRepository(sql: Database) {
  const due = () => sql('certificate_removals').where('due_at', '<=', sql.fn.now());

  /** Removes the chunks with the entry in the list; none, if a certificate refers to the content by now. */
  async function removeListed(listed: Knex.QueryBuilder, content: ContentRef): Promise<void> {
    await sql('certificate_chunks')
      .with('listed', listed.where(content).delete(['content_id']))
      .where(content)
      .whereExists(sql('listed').select(sql.raw('1')))
      .delete();
  }

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
      const content = { organization_id: organizationId, content_id: contentId };
      await removeListed(sql('certificate_removals'), content);
    },

    /** One at a time, so that no statement runs long. */
    async removeDue(shouldContinue: () => boolean): Promise<void> {
      let contents: ContentRef[];
      do {
        contents = await acrossOrganizations(due())
          .orderBy('due_at')
          .limit(LISTED_AT_ONCE)
          .select('organization_id', 'content_id');
        for (const content of contents) {
          if (!shouldContinue()) return;
          await removeListed(due(), content);
        }
      } while (contents.length === LISTED_AT_ONCE);
    },
  };
}
