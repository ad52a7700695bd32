import { NO_SUCH_ASSET } from '../assets/asset.ts';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { isSerialNumber } from '../devices/serial-number.ts';
import { invalid, orNotFound, unavailable } from '../process/errors.ts';
import {
  certificateChunks,
  certificateView,
  createContentMeter,
  type FoundCertificate,
  NO_CERTIFICATE,
  toEntityTag,
} from './certificate.ts';
import type { CertificateContentsRepository } from './certificate-contents.repository.ts';
import type { CertificatesRepository } from './certificates.repository.ts';

export interface CertificatesServiceDeps {
  certificates: CertificatesRepository;
  certificatesIn(sql: Database): CertificatesRepository;
  contents: Omit<CertificateContentsRepository, 'removeDue'>;
  /** Active assets only. */
  findAsset(organizationId: string, assetId: string): Promise<{ serialNumber: string } | null>;
}

type UploadedCertificate = ReturnType<typeof certificateView>;

interface ServedCertificate {
  serialNumber: string;
  tag: string;
  sizeBytes: number;
  /** Read chunk by chunk, at the pace of the consumer. Null: the caller already has the file. */
  chunks: AsyncIterable<Buffer> | null;
}

export type CertificatesService = ReturnType<typeof createCertificatesService>;

export function createCertificatesService(deps: CertificatesServiceDeps) {
  const { certificates, certificatesIn, contents, findAsset } = deps;

  async function findSerial(organizationId: string, assetId: string): Promise<string> {
    const asset = orNotFound(await findAsset(organizationId, assetId), NO_SUCH_ASSET);
    return asset.serialNumber;
  }

  /** The new content becomes visible once all of it is stored; nothing is left of an aborted upload. */
  async function store(
    transact: Transact,
    organizationId: string,
    serialNumber: string,
    chunks: AsyncIterable<Buffer>,
  ): Promise<UploadedCertificate> {
    const contentId = await contents.insert(organizationId);
    try {
      const meter = createContentMeter();
      let position = 0;
      for await (const chunk of chunks) {
        meter.add(chunk);
        await contents.insertChunk(organizationId, contentId, position++, chunk);
      }
      const content = { contentId, ...meter.result() };
      return await transact(async ({ sql }) => {
        const stored = await certificatesIn(sql).upsert(organizationId, serialNumber, content);
        if (!stored) throw unavailable('The upload took too long', 1);
        return certificateView(serialNumber, stored);
      });
    } catch (error) {
      // The sweep removes content that this leaves behind.
      await contents.remove(organizationId, contentId).catch(() => {});
      throw error;
    }
  }

  async function* readChunks(organizationId: string, { contentId, sizeBytes }: FoundCertificate) {
    let left = sizeBytes;
    for (let position = 0; left > 0; position++) {
      const chunk = await contents.findChunk(organizationId, contentId, position);
      if (!chunk) throw new Error('The certificate was removed while it was read');
      yield chunk;
      left -= chunk.length;
    }
  }

  return {
    async serve(
      organizationId: string,
      assetId: string,
      isKnown: (tag: string) => boolean,
    ): Promise<ServedCertificate> {
      const serialNumber = await findSerial(organizationId, assetId);
      const found = orNotFound(await certificates.find(organizationId, serialNumber), NO_CERTIFICATE);
      const tag = toEntityTag(found.sha256);
      const chunks = isKnown(tag) ? null : readChunks(organizationId, found);
      return { serialNumber, tag, sizeBytes: found.sizeBytes, chunks };
    },

    /**
     * For the current serial number of the asset. Refuses other files than PDF before the asset is looked up.
     */
    async upload(
      transact: Transact,
      organizationId: string,
      assetId: string,
      pieces: AsyncIterable<Buffer>,
    ): Promise<UploadedCertificate> {
      const chunks = certificateChunks(pieces);
      try {
        const first = await chunks.next();
        const serialNumber = await findSerial(organizationId, assetId);
        return await store(transact, organizationId, serialNumber, withFirst(first, chunks));
      } finally {
        await chunks.return(undefined);
      }
    },

    /** The serial number need not be registered. */
    async uploadForSerial(
      transact: Transact,
      organizationId: string,
      serialNumber: string,
      pieces: AsyncIterable<Buffer>,
    ): Promise<UploadedCertificate> {
      if (!isSerialNumber(serialNumber)) throw invalid('The serial number is not valid');
      return store(transact, organizationId, serialNumber, certificateChunks(pieces));
    },
  };
}

async function* withFirst(
  first: IteratorResult<Buffer>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* rest;
}
