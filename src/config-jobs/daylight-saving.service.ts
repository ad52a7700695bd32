/**
 * Calendars on a device carry a fixed distance from UTC, and profiles promise local time. When a zone changes to or
 * from summer time, the devices concerned get their windows anew: the same ones, at the new distance, as a change of
 * its own that no job waits for.
 */
import type { Sql } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import type { Calendar, DeviceConfiguration } from '../devices/configuration.ts';
import type { Device } from '../devices/device.ts';
import { merge } from '../devices/device-sync.ts';
import { deviceTimezoneMinutes } from '../profiles/compile-schedule.ts';
import type { ScheduledDevicesRepository } from './scheduled-devices.repository.ts';

export interface DaylightSavingDeps {
  transact: Transact;
  scheduledDevices: Pick<ScheduledDevicesRepository, 'listZones' | 'listWithStaleOffset'>;
  scheduledIn(sql: Sql): Pick<ScheduledDevicesRepository, 'zonesOf'>;
  devicesIn(sql: Sql): {
    lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]>;
    update(devices: Device[]): Promise<unknown>;
  };
  targetsIn(sql: Sql): { reopen(assetIds: string[]): Promise<void> };
  now(): Date;
}

const DEVICES_AT_ONCE = 500;
/** A change that was compiled just before the turn and committed just after the look is found then. */
const LOOK_ANYWAY_MS = 3_600_000;

export function createDaylightSavingService(deps: DaylightSavingDeps) {
  const { transact, scheduledDevices, scheduledIn, devicesIn, targetsIn, now } = deps;
  let known = '';
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** One organization's devices, re-judged under their locks. Answers with how many got a change. */
  function recompileOffsets(organizationId: string, assetIds: string[]): Promise<number> {
    return transact(async ({ sql }) => {
      const devices = await devicesIn(sql).lockByAsset(organizationId, assetIds);
      const zones = await scheduledIn(sql).zonesOf(assetIds);
      const shifted = devices.flatMap((device) => {
        // A refused change stays refused: the turn of a zone is no reason to offer it again.
        if (device.sync.pending?.failure != null) return [];
        const zone = zones.get(device.assetId);
        const calendars = zone && calendarsAt(wantedCalendars(device), deviceTimezoneMinutes(zone, now()));
        return calendars ? [{ ...device, sync: merge(device.sync, { calendars }) }] : [];
      });
      await devicesIn(sql).update(shifted);
      await targetsIn(sql).reopen(shifted.map(({ assetId }) => assetId));
      return shifted.length;
    });
  }

  return {
    /** Looks at the devices when a zone has changed since the last look, and every hour. Answers with how many got a change. */
    async syncUtcOffsets(): Promise<number> {
      const at = now();
      const zones = await scheduledDevices.listZones();
      const offsets = zones.map((zone) => ({ zone, minutes: deviceTimezoneMinutes(zone, at) }));
      const present = JSON.stringify(offsets);
      if (present === known && Math.abs(at.getTime() - lookedAt) < LOOK_ANYWAY_MS) return 0;
      let changed = 0;
      let after: string | null = null;
      for (;;) {
        const astray = await scheduledDevices.listWithStaleOffset(offsets, { after, limit: DEVICES_AT_ONCE });
        for (const [organizationId, assetIds] of byOrganization(astray)) {
          changed += await recompileOffsets(organizationId, assetIds);
        }
        if (astray.length < DEVICES_AT_ONCE) break;
        after = astray.at(-1)?.assetId ?? null;
      }
      known = present;
      lookedAt = at.getTime();
      return changed;
    },
  };
}

const wantedCalendars = ({ sync }: Device): Calendar[] =>
  sync.pending?.config.calendars ?? sync.confirmed?.calendars ?? [];

/** Null when they are right already. */
export function calendarsAt(
  calendars: Calendar[],
  timezone: number,
): NonNullable<DeviceConfiguration['calendars']> | null {
  const isRight = (calendar: Calendar) => calendar.type !== 'WEEK' || calendar.timezone === timezone;
  if (calendars.every(isRight)) return null;
  return calendars.map((calendar) => (calendar.type === 'WEEK' ? { ...calendar, timezone } : calendar));
}

function byOrganization(devices: Array<{ organizationId: string; assetId: string }>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { organizationId, assetId } of devices) {
    found.set(organizationId, [...(found.get(organizationId) ?? []), assetId]);
  }
  return found;
}
