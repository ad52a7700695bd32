import { deviceConfigView } from '../devices/device.ts';
import { deviceConfigSchema, serialParams } from '../devices/devices.schemas.ts';
import { ok, type Route, route } from '../http/route.ts';
import type { DeviceWithdrawal, DeviceWithdrawalDeps } from './device-withdrawal.service.ts';

interface DeviceWithdrawalRoutesDeps {
  devicesIn: DeviceWithdrawalDeps['devicesIn'];
  service: Pick<DeviceWithdrawal, 'withdraw'>;
}

export function deviceWithdrawalRoutes({ devicesIn, service }: DeviceWithdrawalRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/devices/{serial}/config/withdraw',
      operationId: 'withdrawDeviceConfig',
      summary: 'Withdraw all that waits for a device',
      description:
        'Nothing is pending from then on, also of what the device has refused. Open targets are cancelled, also those queued for a later stage, and jobs that have no other one. What the device runs stays.',
      tag: 'Device configuration',
      params: serialParams,
      responses: { 200: deviceConfigSchema },
      errors: [404],
      audit: {
        subject: 'serial',
        shown: {
          schema: deviceConfigSchema,
          async find(sql, organizationId, serial) {
            const device = await devicesIn(sql).find(organizationId, serial);
            return device && deviceConfigView(device);
          },
        },
        isChange: ({ hasCancelled }, differs) => hasCancelled || differs(),
      },
      async handle({ caller: { organizationId }, params: { serial }, transact }) {
        return ok(await service.withdraw(transact, organizationId, serial));
      },
    }),
  ];
}
