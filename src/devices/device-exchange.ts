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
import type { ContactingDevice, Device, ObservedCapabilities, OfferedChange } from './device.ts';
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

/** A message of a device, as far as it concerns the device's configuration. */
export interface DeviceExchange extends SerialInOrganization {
  report?: DeviceReport;
  /** The hash that a frame showed. */
  observedHash?: number;
  observed?: ObservedCapabilities;
  /** The answer can carry the pending change, which then counts as fetched. */
  canDeliverConfig: boolean;
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

/** `before` is the device as stored, `device` the same with the capabilities that the messages show. */
export function createExchangeFold(before: ContactingDevice, device: Device) {
  let sync = device.sync;
  let rejection: string | null = null;
  let wasConfirmed = false;
  return {
    assetId: before.assetId,
    apply({ report, observedHash, canDeliverConfig }: DeviceExchange, now: Date): ExchangeResult {
      if (observedHash !== undefined) sync = observeHash(sync, observedHash);
      if (report) {
        const received = receiveReport(sync, report);
        sync = received.sync;
        if (received.outcome.kind === 'rejected') rejection = received.outcome.reason;
        if (received.outcome.kind === 'confirmed') wasConfirmed = true;
      }
      if (canDeliverConfig) sync = fetch(sync, now);
      return { syncStatus: syncStatus(sync), pendingConfig: canDeliverConfig ? offered(sync) : null };
    },
    outcome: (now: Date): ExchangeOutcome => ({
      device: { ...device, sync },
      hasChanged: sync !== before.sync || device !== before,
      hasOtherAlertRules:
        sync !== before.sync && !hasSameAlertRules(monitoredConfig(before.sync), monitoredConfig(sync)),
      presence: presenceChange(before, sync, now),
      rejection,
      wasConfirmed,
      openState: openStateAfter(before.sync, sync),
    }),
  };
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
