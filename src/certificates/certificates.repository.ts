import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Certificate, CertificateSummary } from './certificate.ts';

const SUMMARY = 'size_bytes as "sizeBytes", sha256, uploaded_at as "uploadedAt"';
const BY_SERIAL = 'organization_id = ? and serial_key = lower(?)';

export type CertificatesRepository = ReturnType<typeof createCertificatesRepository>;

export function createCertificatesRepository(sql: Sql) {
  return {
    async find(organizationId: string, serialNumber: string): Promise<CertificateSummary | null> {
      const [row] = await query<CertificateSummary>(
        sql,
        `select ${SUMMARY} from certificates where ${BY_SERIAL}`,
        [organizationId, serialNumber],
      );
      return row ?? null;
    },

    async read(organizationId: string, serialNumber: string): Promise<Certificate | null> {
      const [row] = await query<Certificate>(
        sql,
        `select content, sha256 from certificates where ${BY_SERIAL}`,
        [organizationId, serialNumber],
      );
      return row ?? null;
    },

    /** Replaces an earlier one. */
    async upsert(
      organizationId: string,
      serialNumber: string,
      { content, sha256 }: Certificate,
    ): Promise<CertificateSummary> {
      const [row] = await query<CertificateSummary>(
        sql,
        `insert into certificates (organization_id, serial_key, content, size_bytes, sha256)
         values (?, lower(?), ?, ?, ?)
         on conflict on constraint certificates_pkey do update
           set content = excluded.content, size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
             uploaded_at = excluded.uploaded_at
         returning ${SUMMARY}`,
        [organizationId, serialNumber, content, content.length, sha256],
      );
      return row as CertificateSummary;
    },
  };
}
