/** Changes of a device's configuration by one message: pure. */
import { afterReportContact, type Presence } from '../presence/presence.ts';
import { type DeviceReport, receiveReport } from './config-report.ts';
import {
  type ConfigurationKey,
  canonicalText,
  type DeviceConfiguration,
  hasSameAlertRules,
  keysOf,
  without,
} from './configuration.ts';
import { type Device, type ObservedCapabilities, withSettings } from './device.ts';
import {
  type DeviceSync,
  expectedIntervalSeconds,
  fetch,
  merge,
  monitoredConfig,
  type OfferedChange,
  observeHash,
  offered,
  offeredPart,
  type SyncStatus,
  syncStatus,
} from './device-sync.ts';
import type { SerialInOrganization } from './serial-number.ts';
import { afterFrame, afterSync, type DeviceSettings } from './settings.ts';

/** The part of a device's message that concerns its configuration. */
export interface DeviceExchange extends SerialInOrganization {
  report?: DeviceReport;
  /** The configuration hash of a frame. */
  observedHash?: number;
  /** The period of measurement of a frame, with its time. */
  observedPeriod?: ObservedPeriod;
  observed?: ObservedCapabilities;
  /** Whether the answer can carry the pending change, which then counts as fetched. */
  canDeliverConfig: boolean;
  /** Whether the device has given up waiting for the answer. Default: unknown. */
  isAbandoned?(): boolean;
}

export interface ObservedPeriod {
  seconds: number;
  receivedAt: Date;
}

export interface ExchangeResult {
  syncStatus: SyncStatus;
  /** The change in the answer. */
  pendingConfig: OfferedChange | null;
}

export interface DeviceExchanges {
  /**
   * Null when the organization has no active device with that serial; the contact is then recorded for the
   * operator.
   */
  handle(exchange: DeviceExchange): Promise<ExchangeResult | null>;
}

/** A device that is locked, before the exchange. */
export interface ContactingDevice {
  before: Device;
  /** With the capabilities that the message shows. */
  device: Device;
  presence: Presence;
  exchange: DeviceExchange;
}

export interface ExchangeOutcome {
  at: Date;
  result: ExchangeResult;
  device: Device;
  presence: Presence;
  hasChanged: boolean;
  hasOtherAlertRules: boolean;
  /** Why the device refused the pending change; null when it did not. */
  rejection: string | null;
  wasConfirmed: boolean;
  /** The state of targets that are still open; null when it stays. */
  openState: 'sent' | 'waiting' | null;
}

export function receiveExchange(
  { before, device, presence, exchange }: ContactingDevice,
  at: Date,
): ExchangeOutcome {
  const { report, observedHash, observedPeriod, canDeliverConfig } = exchange;
  const shown = withSettings(before.sync, device, at);
  const known = observedHash === undefined ? shown.sync : observeHash(shown.sync, observedHash);
  const received = report ? receiveReport(known, report) : null;
  const answered = received?.sync ?? known;
  const sync = canDeliverConfig ? fetch(answered, at) : answered;
  const withPeriod = observedPeriod ? settingsAfterFrame(shown, observedPeriod) : shown.settings;
  const settings =
    report && received
      ? settingsAfterReport({ ...shown, sync: known, settings: withPeriod }, report, received)
      : withPeriod;
  const outcome = received?.outcome;
  return {
    at,
    result: { syncStatus: syncStatus(sync), pendingConfig: canDeliverConfig ? offered(sync) : null },
    device: { ...device, sync, settings },
    presence: presenceAfter(presence, before.sync, sync, at),
    hasChanged: sync !== before.sync || device !== before || settings.begun.length > 0,
    hasOtherAlertRules:
      sync !== before.sync && !hasSameAlertRules(monitoredConfig(before.sync), monitoredConfig(sync)),
    rejection: outcome?.kind === 'rejected' ? outcome.reason : null,
    wasConfirmed: outcome?.kind === 'confirmed',
    openState: openStateAfter(before.sync, sync),
  };
}

function settingsAfterFrame(
  { settings, registeredAt }: Device,
  { seconds, receivedAt }: ObservedPeriod,
): DeviceSettings {
  return afterFrame(settings, seconds, { at: receivedAt, receivedAt, registeredAt });
}

function settingsAfterReport(
  { settings, sync: before, registeredAt }: Device,
  { config, madeAt, receivedAt }: DeviceReport,
  { sync: after, outcome }: ReturnType<typeof receiveReport>,
): DeviceSettings {
  if (keysOf(config).length === 0) return settings;
  const source = outcome.kind === 'confirmed' ? 'confirmed' : 'report';
  return afterSync(settings, before, after, { source, at: madeAt, receivedAt, registeredAt });
}

function presenceAfter(presence: Presence, before: DeviceSync, sync: DeviceSync, at: Date): Presence {
  const intervalSeconds = expectedIntervalSeconds(sync);
  const hasNewInterval = intervalSeconds !== expectedIntervalSeconds(before);
  return afterReportContact(presence, { at, intervalSeconds, hasNewInterval });
}

function openStateAfter(before: DeviceSync, { pending }: DeviceSync): 'sent' | 'waiting' | null {
  if (!pending || offeredPart(pending) === null) return null;
  const isFetched = pending.fetchedAt !== null;
  if (isFetched === (before.pending?.fetchedAt != null)) return null;
  return isFetched ? 'sent' : 'waiting';
}

/**
 * Makes the recompiled configuration pending. Settings that are pending already with these values need no new revision,
 * and stay refused if they were.
 */
export function mergeRecompiled(device: Device, config: DeviceConfiguration): Device {
  const pending = device.sync.pending?.config ?? {};
  const isPending = (key: ConfigurationKey) =>
    canonicalText({ [key]: pending[key] }) === canonicalText({ [key]: config[key] });
  const change = without(config, keysOf(config).filter(isPending));
  if (change === null) return device;
  // Calendars refer to rules by position, so both are one change.
  const { calendars } = change.alarmRules ? config : change;
  return { ...device, sync: merge(device.sync, calendars ? { ...change, calendars } : change) };
}
