import { noContent, ok, type Route, route } from '../http/route.ts';
import { notFound, orNotFound } from '../process/errors.ts';
import { toDeviceReport } from './config-report.ts';
import { type Device, deviceConfigView } from './device.ts';
import type { DeviceExchanges } from './device-exchange.ts';
import { offered } from './device-sync.ts';
import {
  configReportBody,
  deviceConfigSchema,
  exchangeResultSchema,
  offeredChangeSchema,
  serialParams,
} from './devices.schemas.ts';
import { NO_SUCH_DEVICE } from './serial-number.ts';

interface DevicesRoutesDeps {
  devices: {
    find(organizationId: string, serialNumber: string): Promise<Device | null>;
  };
  exchanges: DeviceExchanges;
}

export function devicesRoutes({ devices, exchanges }: DevicesRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{serial}/config',
      operationId: 'getDeviceConfig',
      summary: 'Get what a device runs and what waits for it',
      description:
        'Poll until pendingConfig is null and syncStatus is applied; with If-None-Match it costs little.',
      tag: 'Device configuration',
      params: serialParams,
      responses: { 200: deviceConfigSchema },
      errors: [404],
      conditional: true,
      async handle({ caller, params: { serial } }) {
        const device = orNotFound(await devices.find(caller.organizationId, serial), NO_SUCH_DEVICE);
        return ok(deviceConfigView(device));
      },
    }),
    route({
      method: 'GET',
      path: '/devices/{serial}/pending-config',
      operationId: 'fetchPendingConfig',
      summary: 'Fetch the change that waits for a device',
      description: 'The change counts as fetched. 204 when nothing waits.',
      tag: 'For devices',
      auth: 'device',
      params: serialParams,
      responses: { 200: offeredChangeSchema, 204: null },
      errors: [404],
      async handle({ caller, params: { serial }, isHead }) {
        const { organizationId } = caller;
        const device = await devices.find(organizationId, serial);
        if (isHead && !device) throw notFound(NO_SUCH_DEVICE);
        // Most polls find nothing new, and need no lock and no write.
        if (device && (isHead || !awaitsFetch(device))) return replyWith(offered(device.sync));
        const exchange = { organizationId, serialNumber: serial, canDeliverConfig: true };
        const result = orNotFound(await exchanges.handle(exchange), NO_SUCH_DEVICE);
        return replyWith(result.pendingConfig);
      },
    }),
    route({
      method: 'POST',
      path: '/devices/{serial}/config-reports',
      operationId: 'reportConfig',
      summary: 'Report the configuration that a device runs',
      description: 'The answer carries what waits for the device, which then counts as fetched.',
      tag: 'For devices',
      auth: 'device',
      params: serialParams,
      body: configReportBody,
      responses: { 200: exchangeResultSchema },
      errors: [404],
      async handle({ caller: { organizationId }, params: { serial }, body, receivedAt, isAbandoned }) {
        const result = await exchanges.handle({
          organizationId,
          serialNumber: serial,
          report: toDeviceReport(body, receivedAt),
          isAbandoned,
          canDeliverConfig: true,
        });
        return ok(orNotFound(result, NO_SUCH_DEVICE));
      },
    }),
  ];
}

const awaitsFetch = ({ sync }: Device) => offered(sync) !== null && !sync.pending?.fetchedAt;

const replyWith = (change: unknown) => (change === null ? noContent() : ok(change));
