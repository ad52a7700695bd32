import { NO_SUCH_ASSET } from '../assets/asset.ts';
import { isSerialNumber } from '../devices/serial-number.ts';
import { invalid, notFound } from '../process/errors.ts';
import {
  type Certificate,
  certificateView,
  matchesTag,
  NO_CERTIFICATE,
  newCertificate,
  toEntityTag,
} from './certificate.ts';
import type { CertificatesRepository } from './certificates.repository.ts';

export interface CertificatesServiceDeps {
  certificates: CertificatesRepository;
  /** Active assets only. */
  findAsset(organizationId: string, assetId: string): Promise<{ serialNumber: string } | null>;
}

export type UploadedCertificate = ReturnType<typeof certificateView>;

export interface ServedCertificate {
  serialNumber: string;
  /** Null: the caller has it already. */
  content: Buffer | null;
  tag: string;
}

export type CertificatesService = ReturnType<typeof createCertificatesService>;

export function createCertificatesService({ certificates, findAsset }: CertificatesServiceDeps) {
  async function findSerial(organizationId: string, assetId: string): Promise<string> {
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
    /** Reads the content only if the caller does not have it. */
    async serve(
      organizationId: string,
      assetId: string,
      ifNoneMatch: string | undefined,
    ): Promise<ServedCertificate> {
      const serialNumber = await findSerial(organizationId, assetId);
      const summary = await certificates.find(organizationId, serialNumber);
      if (!summary) throw notFound(NO_CERTIFICATE);
      const tag = toEntityTag(summary.sha256);
      if (matchesTag(ifNoneMatch, tag)) return { serialNumber, content: null, tag };
      const certificate = await certificates.read(organizationId, serialNumber);
      if (!certificate) throw notFound(NO_CERTIFICATE);
      return { serialNumber, content: certificate.content, tag: toEntityTag(certificate.sha256) };
    },

    /** For the present serial number of the asset. */
    async upload(organizationId: string, assetId: string, bytes: Buffer): Promise<UploadedCertificate> {
      const certificate = newCertificate(bytes);
      return store(organizationId, await findSerial(organizationId, assetId), certificate);
    },

    /** The serial need not be registered. */
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
