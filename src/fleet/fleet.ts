/**
 * Devices, alerts and endpoints of an organization, counted by state. Every state is present, even with 0.
 */
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

type Counts = ReadonlyArray<{ key: string; count: number }>;
type CountsByState = {
  [Name in keyof typeof FLEET_STATES]: Record<(typeof FLEET_STATES)[Name]['values'][number], number>;
};

export function countByState(counts: Counts): CountsByState {
  const countOf = new Map(counts.map(({ key, count }) => [key, count]));
  const maps = Object.entries(FLEET_STATES).map(([name, { prefix, values }]) => [
    name,
    Object.fromEntries(values.map((value) => [value, countOf.get(`${prefix}:${value}`) ?? 0])),
  ]);
  return Object.fromEntries(maps) as CountsByState;
}

export type FleetView = ReturnType<typeof fleetView>;

export const fleetView = (counts: Counts) => ({
  recType: 'fleet',
  ...countByState(counts),
  noProfile: SYNC_STATUSES.reduce((total, status) => total + countOf(counts, `unprofiled:${status}`), 0),
  unregisteredDevices: countOf(counts, 'unregistered:'),
});

/** Each device counts once: under its sync status only if it has had a profile. */
export const fleetPageView = (counts: Counts): FleetView => {
  const view = fleetView(counts);
  const withProfile = SYNC_STATUSES.map((status) => [
    status,
    view.syncStatus[status] - countOf(counts, `unprofiled:${status}`),
  ]);
  return { ...view, syncStatus: Object.fromEntries(withProfile) };
};

const countOf = (counts: Counts, wanted: string): number =>
  counts.find(({ key }) => key === wanted)?.count ?? 0;
