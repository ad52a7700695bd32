/** How many devices, alerts and endpoints of an organization are in which state. Every state is named, also with none. */
import { ALERT_TYPES } from '../alerts/alert.ts';
import { BATTERY_STATUSES } from '../devices/device-status.ts';
import { SYNC_STATUSES } from '../devices/device-sync.ts';
import { HEALTH_STATES } from '../endpoints/shown-health.ts';
import { DEVICE_STATUSES } from '../presence/presence.ts';

export const FLEET_STATES = {
  status: { prefix: 'status', values: DEVICE_STATUSES },
  syncStatus: { prefix: 'sync', values: SYNC_STATUSES },
  batteryStatus: { prefix: 'battery', values: BATTERY_STATUSES },
  openAlerts: { prefix: 'alert', values: ALERT_TYPES },
  endpoints: { prefix: 'endpoint', values: HEALTH_STATES },
} as const;

export function fleetView(counts: ReadonlyArray<{ key: string; count: number }>) {
  const countOf = new Map(counts.map(({ key, count }) => [key, count]));
  const maps = Object.entries(FLEET_STATES).map(([name, { prefix, values }]) => [
    name,
    Object.fromEntries(values.map((value) => [value, countOf.get(`${prefix}:${value}`) ?? 0])),
  ]);
  return {
    recType: 'fleet',
    ...Object.fromEntries(maps),
    noProfile: countOf.get('profile:none') ?? 0,
    unregisteredDevices: countOf.get('unregistered:') ?? 0,
  };
}
