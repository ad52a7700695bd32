import { createCertificatesRepository } from '../certificates/certificates.repository.ts';
import { certificatesRoutes } from '../certificates/certificates.routes.ts';
import {
  type CertificatesServiceDeps,
  createCertificatesService,
} from '../certificates/certificates.service.ts';
import type { Resources } from './resources.ts';

export type CertificatesNeeds = Pick<CertificatesServiceDeps, 'findAsset'>;

export const composeCertificates = ({ sql }: Resources, { findAsset }: CertificatesNeeds) => ({
  routes: certificatesRoutes(
    createCertificatesService({ certificates: createCertificatesRepository(sql), findAsset }),
  ),
});
