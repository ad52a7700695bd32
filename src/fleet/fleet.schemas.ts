import Joi from 'joi';
import { FLEET_STATES } from './fleet.ts';

const count = () => Joi.number().integer().required();
const counts = ({ values }: { values: readonly string[] }, description: string) =>
  Joi.object(Object.fromEntries(values.map((value) => [value, count()])))
    .required()
    .description(description);

export const fleetSchema = Joi.object({
  recType: Joi.string().valid('fleet').required(),
  status: counts(FLEET_STATES.status, 'Active devices by status'),
  syncStatus: counts(FLEET_STATES.syncStatus, 'Active devices by sync state'),
  noProfile: count().description(
    'Active devices without a pending profile that have never confirmed one, whatever their sync state is',
  ),
  batteryStatus: counts(FLEET_STATES.batteryStatus, 'Active devices by battery'),
  openAlerts: counts(FLEET_STATES.openAlerts, 'New and acknowledged alerts by type'),
  endpoints: counts(FLEET_STATES.endpoints, 'Webhooks of both collections by health'),
  unregisteredDevices: count().description('Serial numbers that sent and are not registered'),
})
  .example({
    recType: 'fleet',
    status: { new: 2, online: 176, offline: 2 },
    syncStatus: { no_device_report: 2, pending: 4, sent: 0, failed: 1, applied: 172, drifted: 1 },
    noProfile: 3,
    batteryStatus: { ok: 170, low: 8, unknown: 2 },
    openAlerts: { high_temp: 1, low_temp: 0, no_data: 2, low_battery: 8, sensor_error: 0 },
    endpoints: { healthy: 2, failing: 0, recovering: 0, disabled: 1 },
    unregisteredDevices: 0,
  })
  .meta({ name: 'Fleet' });
