/** A calibration certificate: one PDF per serial number of an organization, so it belongs to the logger. */
import { createHash } from 'node:crypto';
import { invalid } from '../process/errors.ts';

export const CERTIFICATE_TYPE = 'application/pdf';
export const CERTIFICATE_BYTES_MAX = 10 * 1024 * 1024;

export interface CertificateSummary {
  sizeBytes: number;
  sha256: Buffer;
  uploadedAt: Date;
}

export interface Certificate {
  content: Buffer;
  sha256: Buffer;
}

const SIGNATURE = Buffer.from('%PDF-');

/** @throws invalid when the bytes are empty, too many, or no PDF. */
export function newCertificate(content: Buffer): Certificate {
  if (content.length === 0) throw invalid('The body must be a PDF file: it is empty');
  if (content.length > CERTIFICATE_BYTES_MAX) {
    throw invalid(`The file must be at most ${CERTIFICATE_BYTES_MAX} bytes long`);
  }
  if (!content.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw invalid('The body must be a PDF file: it must begin with %PDF-');
  }
  return { content, sha256: createHash('sha256').update(content).digest() };
}

export function certificateView(serialNumber: string, { sizeBytes, sha256, uploadedAt }: CertificateSummary) {
  return {
    serialNumber,
    sizeBytes,
    sha256: sha256.toString('hex'),
    uploadedAt: uploadedAt.toISOString(),
  };
}

export const toEntityTag = (sha256: Buffer) => `"${sha256.toString('hex')}"`;

/** True: the caller has the file already (weak comparison, RFC 9110, 13.1.2). */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

/** Some systems do not allow every character of a serial in a file name, such as the colon. */
export const toFileName = (serialNumber: string) =>
  `calibration-certificate-${serialNumber.replace(/[^A-Za-z0-9._-]/g, '_')}.pdf`;

export const NO_CERTIFICATE = 'No calibration certificate was uploaded for the serial number of this asset';
