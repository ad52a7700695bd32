/** By what devices are looked for: which condition finds them, and which the found ones are compared with. */
import { assetsOfGroup, assetsOfModel, devicesBy, type KeptTotal } from '../db/kept-totals.ts';
import type { BATTERY_STATUSES } from '../devices/device-status.ts';
import type { SyncStatus } from '../devices/device-sync.ts';
import type { DeviceStatus } from '../presence/presence.ts';

export interface AssetFilter {
  model: string | null;
  serialNumber: string | null;
  /** Part of the serial number or the name; case does not count. */
  q: string | null;
  status: DeviceStatus | null;
  batteryStatus: (typeof BATTERY_STATUSES)[number] | null;
  syncStatus: SyncStatus | null;
  groupId: string | null;
  /** Those that have never sent a reading match, too. */
  lastReadingBefore: Date | null;
}

/** A condition whose devices an index holds by asset id, and whose number is kept. */
export interface KeptCondition extends KeptTotal {
  field: 'model' | 'groupId' | 'status' | 'batteryStatus' | 'syncStatus';
}

export function keptConditions({
  model,
  groupId,
  status,
  batteryStatus,
  syncStatus,
}: AssetFilter): KeptCondition[] {
  const conditions: Array<KeptCondition | false> = [
    model !== null && { field: 'model', ...assetsOfModel(model) },
    groupId !== null && { field: 'groupId', ...assetsOfGroup(groupId) },
    status !== null && { field: 'status', ...devicesBy('status', status) },
    batteryStatus !== null && { field: 'batteryStatus', ...devicesBy('battery', batteryStatus) },
    syncStatus !== null && { field: 'syncStatus', ...devicesBy('sync', syncStatus) },
  ];
  return conditions.filter((condition) => condition !== false);
}

/** By what the devices are looked up; everything else in the filter is compared. */
export type Lookup = 'serialNumber' | 'q' | 'lastReadingBefore' | KeptCondition['field'] | 'all';

/** So few devices are compared one by one sooner than any other index finds them. */
const FEW = 5_000;

/** `totals`: of the kept conditions, in their order. */
export function chooseLookup(filter: AssetFilter, totals: number[]): Lookup {
  if (filter.serialNumber !== null) return 'serialNumber';
  const least = Math.min(...totals);
  const rarest = keptConditions(filter)[totals.indexOf(least)]?.field;
  if (rarest !== undefined && least <= FEW) return rarest;
  if (filter.q !== null) return 'q';
  if (filter.lastReadingBefore !== null) return 'lastReadingBefore';
  return rarest ?? 'all';
}

/** The total of the whole filter, where it is kept. */
export const hasKeptTotal = (filter: AssetFilter): boolean =>
  Object.values(filter).filter((value) => value !== null).length === keptConditions(filter).length &&
  keptConditions(filter).length <= 1;
