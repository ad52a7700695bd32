import { createUnregisteredDevicesRepository } from '../devices/unregistered-devices.repository.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

const SHOWN_MAX = 200;

export const deviceCommands: Command[] = [
  {
    words: ['device', 'unregistered'],
    args: '',
    summary: 'list serials that used the device token of an organization that has not registered them',
    run: () =>
      withDatabase(async (sql) => {
        const unknown = await createUnregisteredDevicesRepository(sql).list(SHOWN_MAX);
        const rows = unknown.map((device) => [
          device.serialNumber,
          device.organizationName,
          String(device.contactCount),
          device.firstContactAt.toISOString(),
          device.lastContactAt.toISOString(),
        ]);
        return { headings: ['SERIAL', 'ORGANIZATION', 'CONTACTS', 'FIRST', 'LAST'], rows };
      }),
  },
];
