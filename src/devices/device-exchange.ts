/** What the messages of one device in one batch change: pure, and one after the other. */
import { afterContact } from '../presence/presence.ts';
import type { PresenceChange } from '../presence/presence-columns.ts';
import { type DeviceReport, receiveReport } from './config-report.ts';
import {
  type ConfigurationKey,
  canonicalText,
  type DeviceConfiguration,
  hasSameAlertRules,
  keysOf,
  without,
} from './configuration.ts';
import {
  type ContactingDevice,
  type Device,
  type ObservedCapabilities,
  type OfferedChange,
  withSettings,
} from './device.ts';
import {
  type DeviceSync,
  expectedIntervalSeconds,
  fetch,
  merge,
  monitoredConfig,
  observeHash,
  offered,
  offeredPart,
  type SyncStatus,
  syncStatus,
} from './device-sync.ts';
import type { SerialInOrganization } from './serial-number.ts';
import { afterFrame, afterSync, type DeviceSettings } from './settings.ts';

/** A message of a device, as far as it concerns the device's configuration. */
export interface DeviceExchange extends SerialInOrganization {
  report?: DeviceReport;
  /** The hash that a frame showed. */
  observedHash?: number;
  /** A period of measurement that a frame showed, and when it came. */
  observedPeriod?: ObservedPeriod;
  observed?: ObservedCapabilities;
  /** The answer can carry the pending change, which then counts as fetched. */
  canDeliverConfig: boolean;
}

export interface ObservedPeriod {
  seconds: number;
  receivedAt: Date;
}

export interface ExchangeResult {
  syncStatus: SyncStatus;
  /** The change that the answer carries. */
  pendingConfig: OfferedChange | null;
}

export interface ExchangeOutcome {
  device: Device;
  hasChanged: boolean;
  hasOtherAlertRules: boolean;
  presence: PresenceChange;
  /** Why the device refused the pending change; null when it did not. */
  rejection: string | null;
  wasConfirmed: boolean;
  /** The state of targets that are still open; null when it stays. */
  openState: 'sent' | 'waiting' | null;
}

/** `before` is the device as stored at `now`, `device` the same with the capabilities that the messages show. */
export function createExchangeFold(before: ContactingDevice, device: Device, now: Date) {
  let sync = device.sync;
  let { settings } = withSettings(before.sync, device, now);
  let rejection: string | null = null;
  let wasConfirmed = false;
  return {
    assetId: before.assetId,
    apply({ report, observedHash, observedPeriod, canDeliverConfig }: DeviceExchange): ExchangeResult {
      if (observedHash !== undefined) sync = observeHash(sync, observedHash);
      if (observedPeriod) settings = settingsAfterFrame(observedPeriod);
      if (report) {
        const received = receiveReport(sync, report);
        settings = settingsAfterReport(report, received);
        sync = received.sync;
        if (received.outcome.kind === 'rejected') rejection = received.outcome.reason;
        if (received.outcome.kind === 'confirmed') wasConfirmed = true;
      }
      if (canDeliverConfig) sync = fetch(sync, now);
      return { syncStatus: syncStatus(sync), pendingConfig: canDeliverConfig ? offered(sync) : null };
    },
    outcome: (): ExchangeOutcome => ({
      device: { ...device, sync, settings },
      hasChanged: sync !== before.sync || device !== before || settings.begun.length > 0,
      hasOtherAlertRules:
        sync !== before.sync && !hasSameAlertRules(monitoredConfig(before.sync), monitoredConfig(sync)),
      presence: presenceChange(before, sync, now),
      rejection,
      wasConfirmed,
      openState: openStateAfter(before.sync, sync),
    }),
  };

  function settingsAfterFrame({ seconds, receivedAt }: ObservedPeriod): DeviceSettings {
    const { registeredAt } = device;
    return afterFrame(settings, seconds, { at: receivedAt, receivedAt, registeredAt });
  }

  function settingsAfterReport(
    { config, madeAt, receivedAt }: DeviceReport,
    { sync: after, outcome }: ReturnType<typeof receiveReport>,
  ): DeviceSettings {
    if (keysOf(config).length === 0) return settings;
    const source = outcome.kind === 'confirmed' ? 'confirmed' : 'report';
    const { registeredAt } = device;
    return afterSync(settings, sync, after, { source, at: madeAt, receivedAt, registeredAt });
  }
}

function presenceChange(device: ContactingDevice, sync: DeviceSync, at: Date): PresenceChange {
  const { organizationId, assetId, presence: before } = device;
  const intervalSeconds = expectedIntervalSeconds(sync);
  const hasNewInterval = intervalSeconds !== expectedIntervalSeconds(device.sync);
  const after = afterContact(before, { kind: 'report', at, intervalSeconds, hasNewInterval });
  return { organizationId, assetId, before, after };
}

function openStateAfter(before: DeviceSync, { pending }: DeviceSync): 'sent' | 'waiting' | null {
  if (!pending || offeredPart(pending) === null) return null;
  const isFetched = pending.fetchedAt !== null;
  if (isFetched === (before.pending?.fetchedAt != null)) return null;
  return isFetched ? 'sent' : 'waiting';
}

/**
 * What was compiled anew becomes pending. Settings that are pending already with these values need no new revision, and
 * stay refused if they were.
 */
export function mergeRecompiled(device: Device, config: DeviceConfiguration): Device {
  const pending = device.sync.pending?.config ?? {};
  const isPending = (key: ConfigurationKey) =>
    canonicalText({ [key]: pending[key] }) === canonicalText({ [key]: config[key] });
  const change = without(config, keysOf(config).filter(isPending));
  if (change === null) return device;
  // Calendars name rules by their positions: they are one change.
  const { calendars } = change.alarmRules ? config : change;
  return { ...device, sync: merge(device.sync, calendars ? { ...change, calendars } : change) };
}
