import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { CertificateContent, CertificateSummary, FoundCertificate } from './certificate.ts';
import { REMOVED_AFTER } from './certificate-contents.repository.ts';

interface CertificateRow extends Columns<FoundCertificate> {
  organization_id: string;
  serial_key: string;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    certificates: CertificateRow;
  }
}

const toCertificate = (row: CertificateRow): FoundCertificate => ({
  contentId: row.content_id,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  uploadedAt: row.uploaded_at,
});

export type CertificatesRepository = ReturnType<typeof createCertificatesRepository>;

export function createCertificatesRepository(sql: Database) {
  return {
    async find(organizationId: string, serialNumber: string): Promise<FoundCertificate | null> {
      const row = await sql('certificates')
        .where({ organization_id: organizationId, serial_key: serialNumber.toLowerCase() })
        .first();
      return row ? toCertificate(row) : null;
    },

    /**
     * Replaces an earlier certificate at once. Its content is removed later, because downloads may be reading
     * it. Null when the new content is gone, because its upload took longer than contents are kept. Needs a transaction.
     */
    async upsert(
      organizationId: string,
      serialNumber: string,
      { contentId, sizeBytes, sha256 }: CertificateContent,
    ): Promise<CertificateSummary | null> {
      const own = { organization_id: organizationId };
      const content = { ...own, content_id: contentId };
      if ((await sql('certificate_removals').where(content).delete()) === 0) return null;
      const [row]: Array<CertificateRow & { replaced_id: string | null }> = await sql('certificates')
        .insert({
          ...content,
          serial_key: serialNumber.toLowerCase(),
          size_bytes: sizeBytes,
          sha256,
        })
        .onConflict(['organization_id', 'serial_key'])
        .merge(['content_id', 'size_bytes', 'sha256', 'uploaded_at'])
        .returning(sql.raw('certificates.*, old.content_id as replaced_id'));
      if (!row) return null;
      if (row.replaced_id !== null) {
        await sql('certificate_removals').insert({
          ...own,
          content_id: row.replaced_id,
          due_at: sql.raw(`now() + ${REMOVED_AFTER}`),
        });
      }
      return toCertificate(row);
    },
  };
}
