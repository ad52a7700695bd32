/**
 * Calendars on a device have a fixed offset from UTC, and profiles promise local time. When a zone changes to or from
 * summer time, its devices are offered the same windows at the new offset: a change of its own, without a job.
 */
import type { Sql } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { Calendar, DeviceConfiguration } from '../devices/configuration.ts';
import type { Device } from '../devices/device.ts';
import { merge } from '../devices/device-sync.ts';
import { deviceTimezoneMinutes } from '../profiles/compile-schedule.ts';
import type { ScheduledDevicesRepository, ZoneOffset } from './scheduled-devices.repository.ts';

export interface DaylightSavingDeps {
  transact: Transact;
  scheduledDevices: Pick<ScheduledDevicesRepository, 'listZones' | 'listWithStaleOffset'>;
  scheduledIn(sql: Sql): Pick<ScheduledDevicesRepository, 'findZones'>;
  devicesIn(sql: Sql): {
    lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]>;
    update(devices: Device[]): Promise<unknown>;
  };
  targetsIn(sql: Sql): { reoffer(devices: AssetRef[]): Promise<void> };
  now(): Date;
}

const BATCH_MAX = 500;
/** Also finds a change that was compiled before the transition and committed after the last sync. */
const SYNC_ANYWAY_MS = 3_600_000;

export function createDaylightSavingService(deps: DaylightSavingDeps) {
  const { transact, scheduledDevices, scheduledIn, devicesIn, targetsIn, now } = deps;
  let lastOffsets = '';
  let lastSyncMs = Number.NEGATIVE_INFINITY;

  /** Devices of one organization, evaluated again under their locks. Answers with the number that got a change. */
  function recompileOffsets(organizationId: string, assetIds: string[]): Promise<number> {
    return transact(async ({ sql }) => {
      const devices = await devicesIn(sql).lockByAsset(organizationId, assetIds);
      const zones = await scheduledIn(sql).findZones(organizationId, assetIds);
      const changed = devices.flatMap((device) => {
        const zone = zones.get(device.assetId);
        return zone === undefined ? [] : (withOffset(device, deviceTimezoneMinutes(zone, now())) ?? []);
      });
      await devicesIn(sql).update(changed);
      await targetsIn(sql).reoffer(changed);
      return changed.length;
    });
  }

  async function recompileStale(offsets: ZoneOffset[]): Promise<number> {
    let changed = 0;
    let after: AssetRef | null = null;
    for (;;) {
      const stale: AssetRef[] = await scheduledDevices.listWithStaleOffset(offsets, {
        after,
        limit: BATCH_MAX,
      });
      for (const [organizationId, assetIds] of byOrganization(stale)) {
        changed += await recompileOffsets(organizationId, assetIds);
      }
      if (stale.length < BATCH_MAX) return changed;
      after = stale.at(-1) ?? null;
    }
  }

  return {
    /** Does nothing until a zone has changed or an hour has passed. Answers with the number of devices that got a change. */
    async syncUtcOffsets(): Promise<number> {
      const at = now();
      const zones = await scheduledDevices.listZones();
      const offsets = zones.map((zone) => ({ zone, minutes: deviceTimezoneMinutes(zone, at) }));
      const current = JSON.stringify(offsets);
      if (current === lastOffsets && Math.abs(at.getTime() - lastSyncMs) < SYNC_ANYWAY_MS) return 0;
      const changed = await recompileStale(offsets);
      lastOffsets = current;
      lastSyncMs = at.getTime();
      return changed;
    },
  };
}

/** Null when nothing changes. Refused calendars stay refused: a transition is no reason to offer them again. */
function withOffset(device: Device, timezone: number): Device | null {
  if (device.sync.pending?.refusal?.keys.includes('calendars')) return null;
  const calendars = calendarsAt(wantedCalendars(device), timezone);
  return calendars && { ...device, sync: merge(device.sync, { calendars }) };
}

const wantedCalendars = ({ sync }: Device): Calendar[] =>
  sync.pending?.config.calendars ?? sync.confirmed?.calendars ?? [];

/** Null when they have this offset already. */
export function calendarsAt(
  calendars: Calendar[],
  timezone: number,
): NonNullable<DeviceConfiguration['calendars']> | null {
  const hasOffset = (calendar: Calendar) => calendar.type !== 'WEEK' || calendar.timezone === timezone;
  if (calendars.every(hasOffset)) return null;
  return calendars.map((calendar) => (calendar.type === 'WEEK' ? { ...calendar, timezone } : calendar));
}

function byOrganization(devices: AssetRef[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { organizationId, assetId } of devices) {
    found.set(organizationId, [...(found.get(organizationId) ?? []), assetId]);
  }
  return found;
}
