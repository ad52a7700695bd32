import { isSerialNumber, NO_SUCH_ASSET } from '../assets/asset.ts';
import { invalid, notFound } from '../process/errors.ts';
import {
  type Certificate,
  certificateView,
  entityTag,
  isKnown,
  NO_CERTIFICATE,
  newCertificate,
} from './certificate.ts';
import type { CertificatesRepository } from './certificates.repository.ts';

export interface CertificatesServiceDeps {
  certificates: CertificatesRepository;
  /** An active asset of the organization. */
  findAsset(organizationId: string, assetId: string): Promise<{ serialNumber: string } | null>;
}

export type UploadedCertificate = ReturnType<typeof certificateView>;

export interface ServedCertificate {
  serialNumber: string;
  /** null when the caller has it already. */
  content: Buffer | null;
  tag: string;
}

export type CertificatesService = ReturnType<typeof createCertificatesService>;

export function createCertificatesService({ certificates, findAsset }: CertificatesServiceDeps) {
  async function serialOf(organizationId: string, assetId: string): Promise<string> {
    const asset = await findAsset(organizationId, assetId);
    if (!asset) throw notFound(NO_SUCH_ASSET);
    return asset.serialNumber;
  }

  async function store(
    organizationId: string,
    serialNumber: string,
    certificate: Certificate,
  ): Promise<UploadedCertificate> {
    const stored = await certificates.upsert(organizationId, serialNumber, certificate);
    return certificateView(serialNumber, stored);
  }

  return {
    /** The bytes are only read when the caller does not have them. */
    async serve(
      organizationId: string,
      assetId: string,
      ifNoneMatch: string | undefined,
    ): Promise<ServedCertificate> {
      const serialNumber = await serialOf(organizationId, assetId);
      const summary = await certificates.find(organizationId, serialNumber);
      if (!summary) throw notFound(NO_CERTIFICATE);
      const tag = entityTag(summary.sha256);
      if (isKnown(ifNoneMatch, tag)) return { serialNumber, content: null, tag };
      const certificate = await certificates.read(organizationId, serialNumber);
      if (!certificate) throw notFound(NO_CERTIFICATE);
      return { serialNumber, content: certificate.content, tag: entityTag(certificate.sha256) };
    },

    /** For the serial number that the asset has now. */
    async upload(organizationId: string, assetId: string, bytes: Buffer): Promise<UploadedCertificate> {
      const certificate = newCertificate(bytes);
      return store(organizationId, await serialOf(organizationId, assetId), certificate);
    },

    /** Also for a serial that no asset has yet. */
    async uploadForSerial(
      organizationId: string,
      serialNumber: string,
      bytes: Buffer,
    ): Promise<UploadedCertificate> {
      if (!isSerialNumber(serialNumber)) throw invalid(`${serialNumber} is no serial number`);
      return store(organizationId, serialNumber, newCertificate(bytes));
    },
  };
}
