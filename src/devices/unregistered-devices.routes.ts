import { noContent, ok, pageOf, type Route, route } from '../http/route.ts';
import { notFound } from '../process/errors.ts';
import { serialParams } from './devices.schemas.ts';
import type { createUnregisteredDevicesRepository, ListedDevice } from './unregistered-devices.repository.ts';
import { listUnregisteredQuery, unregisteredDeviceListSchema } from './unregistered-devices.schemas.ts';

const tag = 'Assets';

export const unregisteredDevicesRoutes = (
  devices: Pick<ReturnType<typeof createUnregisteredDevicesRepository>, 'listOf' | 'remove'>,
): Route[] => [
  route({
    method: 'GET',
    path: '/unregistered-devices',
    operationId: 'listUnregisteredDevices',
    summary: 'List serial numbers that sent and are not registered',
    description:
      'Those that came with a valid device token of the organization, newest firstSeenAt first. At most 1000 are kept.',
    tag,
    query: listUnregisteredQuery,
    responses: { 200: unregisteredDeviceListSchema },
    async handle({ caller, query: { limit, cursor } }) {
      const found = await devices.listOf(caller.organizationId, { before: cursor ?? null, limit: limit + 1 });
      return ok(pageOf(found, limit, (device) => device.cursor, unregisteredView));
    },
  }),
  route({
    method: 'DELETE',
    path: '/unregistered-devices/{serial}',
    operationId: 'removeUnregisteredDevice',
    summary: 'Forget a serial number that is not registered',
    description: 'It is listed again when it sends again.',
    tag,
    params: serialParams,
    responses: { 204: null },
    errors: [404],
    audit: { subject: 'serial' },
    async handle({ caller, params: { serial }, transact }) {
      const isRemoved = await transact(({ sql }) => devices.remove(sql, caller.organizationId, serial));
      if (!isRemoved) throw notFound('No device with this serial number has sent without being registered');
      return noContent();
    },
  }),
];

export const unregisteredView = ({ serialNumber, firstSeenAt, lastSeenAt, count }: ListedDevice) => ({
  recType: 'unregistered-device',
  serialNumber,
  firstSeenAt: firstSeenAt.toISOString(),
  lastSeenAt: lastSeenAt.toISOString(),
  count,
});
