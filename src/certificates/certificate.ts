/** A calibration certificate: one PDF per serial number of an organization, so it belongs to the logger. */
import { createHash } from 'node:crypto';
import { invalid } from '../process/errors.ts';

export const CERTIFICATE_TYPE = 'application/pdf';
export const CERTIFICATE_BYTES_MAX = 10 * 1024 * 1024;

/** The content is stored in pieces of this size. Each costs a statement; each slow client holds two or three. */
const CHUNK_BYTES = 64 * 1024;

export interface CertificateSummary {
  sizeBytes: number;
  sha256: Buffer;
  uploadedAt: Date;
}

/** The content that a certificate refers to, once all of its chunks are stored. */
export interface CertificateContent {
  contentId: string;
  sizeBytes: number;
  sha256: Buffer;
}

export interface FoundCertificate extends CertificateSummary {
  contentId: string;
}

const SIGNATURE = Buffer.from('%PDF-');

/**
 * Splits pieces of any size into chunks of one size.
 * @throws invalid when the bytes are empty, too many, or no PDF.
 */
export async function* certificateChunks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of joinPieces(pieces)) {
    if (sizeBytes === 0) requirePdf(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > CERTIFICATE_BYTES_MAX) {
      throw invalid(`The file must be at most ${CERTIFICATE_BYTES_MAX} bytes long`);
    }
    yield chunk;
  }
  if (sizeBytes === 0) throw invalid('The body must be a PDF file: it is empty');
}

async function* joinPieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) yield rest.subarray(0, CHUNK_BYTES);
  }
  if (rest.length > 0) yield rest;
}

function requirePdf(start: Buffer): void {
  if (!start.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw invalid('The body must be a PDF file: it must begin with %PDF-');
  }
}

/** Measures a content while it is being stored. */
export function createContentMeter() {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  return {
    add(chunk: Buffer): void {
      hash.update(chunk);
      sizeBytes += chunk.length;
    },
    result: () => ({ sizeBytes, sha256: hash.digest() }),
  };
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

/** Some systems do not allow every character of a serial in a file name, such as the colon. */
export const toFileName = (serialNumber: string) =>
  `calibration-certificate-${serialNumber.replace(/[^A-Za-z0-9._-]/g, '_')}.pdf`;

export const NO_CERTIFICATE = 'No calibration certificate was uploaded for the serial number of this asset';
