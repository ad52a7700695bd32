import { createCertificateContentsRepository } from '../certificates/certificate-contents.repository.ts';
import { createCertificatesRepository } from '../certificates/certificates.repository.ts';
import { certificatesRoutes } from '../certificates/certificates.routes.ts';
import {
  type CertificatesServiceDeps,
  createCertificatesService,
} from '../certificates/certificates.service.ts';
import { createConcurrencyLimit } from '../http/concurrency-limit.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import type { Resources } from './resources.ts';

type CertificatesNeeds = Pick<CertificatesServiceDeps, 'findAsset'>;

export function composeCertificates(
  { sql, transferSql, transferTurns, settings: { transfers } }: Resources,
  { findAsset }: CertificatesNeeds,
) {
  const contents = createCertificateContentsRepository(transferSql);
  return {
    routes: certificatesRoutes({
      service: createCertificatesService({
        certificates: createCertificatesRepository(sql),
        certificatesIn: createCertificatesRepository,
        contents: inTurns(contents, transferTurns, 'insertChunk', 'findChunk'),
        findAsset,
      }),
      uploads: createConcurrencyLimit({ name: 'uploads', ...transfers.uploads }),
      downloads: createConcurrencyLimit({ name: 'downloads', ...transfers.downloads }),
    }),
    removeDueContents: contents.removeDue,
  };
}
