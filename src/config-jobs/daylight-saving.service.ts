/**
 * Calendars on a device have a fixed offset from UTC, and profiles promise local time. When a zone changes to
 * or from summer time, its devices are offered the same windows at the new offset: a change of its own,
 * without a job.
 *
 * Each device has a time of its next check, found by an index: the next change of the offset of its zone. A
 * change of the pending or confirmed configuration makes the check due at once. A newer release of the time
 * zone database makes the checks of all devices due. One process at a time checks, and it stores the release
 * that it has used. A process with an older release checks only devices that are due, and stores its release
 * too, so the next process with the newer release checks all devices again. A device changes at most once per
 * such turn, and not at all while one process goes on checking.
 */

import type { Sql } from '../db/database.ts';
import { inHalves, SET_ASIDE_MS } from '../db/due-rows.ts';
import type { Transact } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import {
  contradictions,
  type DeviceConfiguration,
  includes,
  withOffsets,
  withoutTerms,
} from '../devices/configuration.ts';
import { type Device, withSettings } from '../devices/device.ts';
import { followsTimeZone } from '../devices/device-row.ts';
import { type DeviceSync, merge } from '../devices/device-sync.ts';
import { DAY_MS, MINUTE_MS } from '../process/durations.ts';
import { grouped } from '../process/grouped.ts';
import { memoized } from '../process/memoized.ts';
import { deviceTimezoneMinutes } from '../profiles/compile-schedule.ts';
import type { OffsetCheck, ScheduledDevicesRepository } from './scheduled-devices.repository.ts';

interface DaylightSavingDeps {
  transact: Transact;
  scheduledDevices: Pick<
    ScheduledDevicesRepository,
    'listDueForOffsetCheck' | 'listWithLaterOffsetCheck' | 'findTimeZoneRules' | 'setTimeZoneRules'
  >;
  scheduledIn(sql: Sql): Pick<ScheduledDevicesRepository, 'findZones' | 'planOffsetChecks'>;
  devicesIn(sql: Sql): {
    lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]>;
    update(devices: Device[]): Promise<unknown>;
  };
  targetsIn(sql: Sql): { reoffer(devices: AssetRef[]): Promise<void> };
  /** Release of the time zone database of this runtime; null: unknown. */
  timeZoneRules: string | null;
  now(): Date;
  onSetAside(device: AssetRef, error: unknown): void;
}

const BATCH_MAX = 500;

export function createDaylightSavingService(deps: DaylightSavingDeps) {
  const { transact, scheduledDevices, scheduledIn, devicesIn, targetsIn, timeZoneRules, now } = deps;

  /**
   * Checks devices of one organization under their locks. Returns the number of devices that got a change.
   */
  function checkOffsets(organizationId: string, assetIds: string[], at: Date): Promise<number> {
    return transact(async ({ sql }) => {
      const devices = await devicesIn(sql).lockByAsset(organizationId, assetIds);
      const zones = await scheduledIn(sql).findZones(organizationId, assetIds);
      const zoneOf = (device: Device) =>
        followsTimeZone(wantedCalendars(device)) ? (zones.get(device.assetId) ?? null) : null;
      const changed = devices.flatMap((device) => {
        const zone = zoneOf(device);
        const next = zone === null ? null : withOffset(device, deviceTimezoneMinutes(zone, at));
        return next ? [withSettings(device.sync, next, at)] : [];
      });
      await devicesIn(sql).update(changed);
      await targetsIn(sql).reoffer(changed);
      await scheduledIn(sql).planOffsetChecks(organizationId, planChecks(assetIds, devices, zoneOf, at));
      return changed.length;
    });
  }

  async function setAside({ organizationId, assetId }: AssetRef, error: unknown): Promise<void> {
    const checkAt = new Date(now().getTime() + SET_ASIDE_MS);
    await transact(({ sql }) => scheduledIn(sql).planOffsetChecks(organizationId, [{ assetId, checkAt }]));
    deps.onSetAside({ organizationId, assetId }, error);
  }

  async function applyTimeZoneRules(at: Date, shouldContinue: () => boolean): Promise<void> {
    if (timeZoneRules === null) return;
    const before = await scheduledDevices.findTimeZoneRules();
    if (before === timeZoneRules) return;
    const isNewer = before === null || before < timeZoneRules;
    if (isNewer && !(await makeAllDue(at, shouldContinue))) return;
    await scheduledDevices.setTimeZoneRules(timeZoneRules);
  }

  /** Returns false when it stopped early; checks that are due by then stay due. */
  async function makeAllDue(at: Date, shouldContinue: () => boolean): Promise<boolean> {
    while (shouldContinue()) {
      const later = await scheduledDevices.listWithLaterOffsetCheck(at, BATCH_MAX);
      for (const [organizationId, devices] of byOrganization(later)) {
        const checks = devices.map(({ assetId }) => ({ assetId, checkAt: at }));
        await transact(({ sql }) => scheduledIn(sql).planOffsetChecks(organizationId, checks));
      }
      if (later.length < BATCH_MAX) return true;
    }
    return false;
  }

  return {
    /** Stops early when `shouldContinue` returns false. Returns the number of devices that got a change. */
    async syncUtcOffsets(shouldContinue: () => boolean): Promise<number> {
      const at = now();
      await applyTimeZoneRules(at, shouldContinue);
      let changed = 0;
      while (shouldContinue()) {
        const due = await scheduledDevices.listDueForOffsetCheck(at, BATCH_MAX);
        for (const [organizationId, devices] of byOrganization(due)) {
          await inHalves(
            devices.map(({ assetId }) => assetId),
            async (some) => {
              changed += await checkOffsets(organizationId, some, at);
            },
            (assetId, error) => setAside({ organizationId, assetId }, error),
          );
        }
        if (due.length < BATCH_MAX) break;
      }
      return changed;
    },
  };
}

const byOrganization = (devices: AssetRef[]) => grouped(devices, ({ organizationId }) => organizationId);

/** Archived devices could not be locked, and are not checked again. */
function planChecks(
  assetIds: string[],
  devices: Device[],
  zoneOf: (device: Device) => string | null,
  at: Date,
): OffsetCheck[] {
  const zones = new Map(devices.map((device) => [device.assetId, zoneOf(device)]));
  const checkOf = memoized(
    (zone: string) => zone,
    (zone) => nextOffsetCheckAt(zone, at),
  );
  const changed = devices.filter(({ sync }) => isChangedOnSite(sync));
  const changedOnSite = new Set(changed.map(({ assetId }) => assetId));
  return assetIds.map((assetId) => {
    const zone = zones.get(assetId) ?? null;
    if (zone === null) return { assetId, checkAt: null };
    // No report makes the check due.
    const isSoon = changedOnSite.has(assetId);
    return { assetId, checkAt: isSoon ? new Date(at.getTime() + DAY_MS) : checkOf(zone) };
  });
}

/**
 * Null when nothing changes. Refused calendars stay refused: a new offset is no reason to offer them again.
 */
function withOffset(device: Device, timezone: number): Device | null {
  if (device.sync.pending?.refusal?.keys.includes('calendars')) return null;
  if (!device.sync.pending?.config.calendars && isChangedOnSite(device.sync)) return null;
  const wanted = wantedCalendars(device);
  const change = withOffsets(wanted, () => timezone);
  return includes(wanted, change) ? null : { ...device, sync: merge(device.sync, change) };
}

/** Calendars switch rules by their position, so those that were confirmed do not fit other rules. */
function isChangedOnSite({ reported, confirmed }: DeviceSync): boolean {
  if (reported === null || confirmed === null) return false;
  const unified = (config: DeviceConfiguration) => withOffsets(config, () => 0);
  const keys = contradictions(unified(reported.config), unified(withoutTerms(confirmed)));
  return keys.includes('alarmRules') || keys.includes('calendars');
}

const wantedCalendars = ({ sync }: Device): DeviceConfiguration => ({
  calendars: sync.pending?.config.calendars ?? sync.confirmed?.calendars ?? [],
});

/** Governments announce changes at short notice, so facts about a zone expire after this time. */
const DAYS_AHEAD_MAX = 30;

/** The first minute with another offset; without one within 30 days, the end of that time. */
export function nextOffsetCheckAt(zone: string, at: Date): Date {
  const offset = deviceTimezoneMinutes(zone, at);
  const atMinute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  const isOther = (timeMs: number) => deviceTimezoneMinutes(zone, new Date(timeMs)) !== offset;
  for (let day = 1; day <= DAYS_AHEAD_MAX; day++) {
    const endMs = atMinute + day * DAY_MS;
    if (isOther(endMs)) return new Date(firstMinute(endMs - DAY_MS, endMs, isOther));
  }
  return new Date(atMinute + DAYS_AHEAD_MAX * DAY_MS);
}

/** The first minute after `fromMs` that meets the condition; `toMs` is known to meet it. */
function firstMinute(fromMs: number, toMs: number, fulfils: (timeMs: number) => boolean): number {
  let [before, after] = [fromMs / MINUTE_MS, toMs / MINUTE_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (fulfils(middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return after * MINUTE_MS;
}
