import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { CertificateContent, CertificateSummary, FoundCertificate } from './certificate.ts';
import { REMOVED_AFTER } from './certificate-contents.repository.ts';

export type CertificatesRepository = ReturnType<typeof createCertificatesRepository>;

export function createCertificatesRepository(sql: Sql) {
  return {
    async find(organizationId: string, serialNumber: string): Promise<FoundCertificate | null> {
      const [row] = await query<FoundCertificate>(
        sql,
        `select content_id as "contentId", size_bytes as "sizeBytes", sha256, uploaded_at as "uploadedAt"
         from certificates where organization_id = ? and serial_key = lower(?)`,
        [organizationId, serialNumber],
      );
      return row ?? null;
    },

    /**
     * Replaces an earlier one at once. Its content is removed later, for those who are reading it. Null when the new
     * content is gone, because its upload took longer than contents are kept for.
     */
    async upsert(
      organizationId: string,
      serialNumber: string,
      { contentId, sizeBytes, sha256 }: CertificateContent,
    ): Promise<CertificateSummary | null> {
      const [row] = await query<CertificateSummary>(
        sql,
        `with kept as (
           delete from certificate_removals where organization_id = ? and content_id = ?
           returning organization_id, content_id
         ), stored as (
           insert into certificates (organization_id, serial_key, content_id, size_bytes, sha256)
           select organization_id, lower(?), content_id, ?::integer, ?::bytea from kept
           on conflict on constraint certificates_pkey do update
             set content_id = excluded.content_id, size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
               uploaded_at = excluded.uploaded_at
           returning new.organization_id, new.size_bytes, new.sha256, new.uploaded_at, old.content_id as replaced_id
         ), replaced as (
           insert into certificate_removals (organization_id, content_id, due_at)
           select organization_id, replaced_id, now() + ${REMOVED_AFTER} from stored where replaced_id is not null
         )
         select size_bytes as "sizeBytes", sha256, uploaded_at as "uploadedAt" from stored`,
        [organizationId, contentId, serialNumber, sizeBytes, sha256],
      );
      return row ?? null;
    },
  };
}
