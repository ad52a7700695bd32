import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { CertificateContent, CertificateSummary, FoundCertificate } from './certificate.ts';
import { REMOVED_AFTER } from './certificate-contents.statements.ts';

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

/** No row when the content is gone. Lists the replaced content for removal. */
const UPSERT = `
  with kept as (
    delete from certificate_removals where organization_id = :organizationId and content_id = :contentId
    returning organization_id, content_id
  ), stored as (
    insert into certificates (organization_id, serial_key, content_id, size_bytes, sha256)
    select organization_id, :serialKey, content_id, :sizeBytes::integer, :sha256::bytea from kept
    on conflict on constraint certificates_pkey do update
      set content_id = excluded.content_id, size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
        uploaded_at = excluded.uploaded_at
    returning new.*, old.content_id as replaced_id
  ), replaced as (
    insert into certificate_removals (organization_id, content_id, due_at)
    select organization_id, replaced_id, now() + ${REMOVED_AFTER} from stored where replaced_id is not null
  )
  select * from stored`;

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
     * it. Null when the new content is gone, because its upload took longer than contents are kept.
     */
    async upsert(
      organizationId: string,
      serialNumber: string,
      content: CertificateContent,
    ): Promise<CertificateSummary | null> {
      const bindings = { organizationId, serialKey: serialNumber.toLowerCase(), ...content };
      const [row] = await query<CertificateRow>(sql, UPSERT, bindings);
      return row ? toCertificate(row) : null;
    },
  };
}
