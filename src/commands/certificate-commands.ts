import { open } from 'node:fs/promises';
import { createCertificateContentsRepository } from '../certificates/certificate-contents.repository.ts';
import { createCertificatesRepository } from '../certificates/certificates.repository.ts';
import { createCertificatesService } from '../certificates/certificates.service.ts';
import { isSerialNumber } from '../devices/serial-number.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { type Command, option, print, required, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

export const certificateCommands: Command[] = [
  {
    words: ['certificate', 'upload'],
    args: '--org NAME SERIAL FILE',
    summary: 'stores a calibration certificate (PDF) for a serial number',
    run: (input) =>
      withDatabase(async (sql) => {
        const serial = required(input, 0, 'SERIAL');
        if (!isSerialNumber(serial)) throw new UsageError('SERIAL must be a serial number of a device');
        const file = await open(required(input, 1, 'FILE')).catch(() => {
          throw new UsageError(`FILE cannot be read: ${input.positionals[1]}`);
        });
        const name = option(input, 'org') ?? '';
        const organization = await createOrganizationsRepository(sql).findByName(name);
        if (!organization) throw new UsageError(`--org must name an organization, and there is no "${name}"`);
        const service = createCertificatesService({
          certificates: createCertificatesRepository(sql),
          contents: createCertificateContentsRepository(sql),
          findAsset: async () => null,
        });
        const stored = await service.uploadForSerial(organization.id, serial, file.createReadStream());
        print(`${stored.serialNumber}: ${stored.sizeBytes} bytes, SHA-256 ${stored.sha256}`);
      }),
  },
];
