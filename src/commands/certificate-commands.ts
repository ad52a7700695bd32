import { open, stat } from 'node:fs/promises';
import { createCertificateContentsRepository } from '../certificates/certificate-contents.repository.ts';
import { createCertificatesRepository } from '../certificates/certificates.repository.ts';
import { createCertificatesService } from '../certificates/certificates.service.ts';
import { isSerialNumber } from '../devices/serial-number.ts';
import { changing } from './changing.ts';
import { type Command, required, UsageError } from './command.ts';
import { findOrganization } from './organization-commands.ts';

export const certificateCommands: Command[] = [
  {
    words: ['certificate', 'upload'],
    args: '--org NAME SERIAL FILE',
    summary: 'store a calibration certificate (PDF) for a serial number',
    ...changing('uploadCalibrationCertificate', async (input, tx, sql) => {
      const serial = required(input, 0, 'SERIAL');
      if (!isSerialNumber(serial)) throw new UsageError('SERIAL must be a serial number of a device');
      const { id: organizationId } = await findOrganization(sql, required(input, 'org'));
      const path = required(input, 1, 'FILE');
      const file = await openFile(path).catch(() => null);
      if (!file) throw new UsageError(`FILE cannot be read: ${path}`);
      const service = createCertificatesService({
        certificates: createCertificatesRepository(sql),
        certificatesIn: createCertificatesRepository,
        contents: createCertificateContentsRepository(sql),
        findAsset: async () => null,
      });
      const pieces = file.createReadStream();
      const stored = await service.uploadForSerial((work) => work(tx), organizationId, serial, pieces);
      return {
        changes: [{ organizationId, subject: serial.toLowerCase(), before: null, after: stored }],
        output: `${stored.serialNumber}: ${stored.sizeBytes} bytes, SHA-256 ${stored.sha256}`,
      };
    }),
  },
];

/** Null for a folder, which could be opened and not be read. */
const openFile = async (path: string) => ((await stat(path)).isDirectory() ? null : open(path));
