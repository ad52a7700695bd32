/**
 * Changes of a device's configuration by one message, and their outcomes for waiting jobs and, as events, for customers:
 * pure.
 */
import type { DomainEvent } from '../db/domain-event.ts';
import { afterReportContact, type Presence } from '../presence/presence.ts';
import type { AssetRef } from './asset-ref.ts';
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
  /** The time from which rules for other channels count; null: from now on. */
  shownSince: Date | null;
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
  { before, device, presence, exchange, shownSince }: ContactingDevice,
  at: Date,
): ExchangeOutcome {
  const { report, observedHash, observedPeriod, canDeliverConfig } = exchange;
  const shown = withSettings(before.sync, device, shownSince ?? at);
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

type ConfigData = ReturnType<typeof configData>;

export interface ConfigAppliedData extends ConfigData {
  appliedAt: string;
}

export interface ConfigFailedData extends ConfigData {
  reason: string;
  failedAt: string;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'config.applied': ConfigAppliedData;
    'config.failed': ConfigFailedData;
  }
}

/** A target of a job whose change the device confirmed or refused. */
export interface SettledTarget extends AssetRef {
  jobId: string;
  profileSlug: string;
  /** False: the target had failed or timed out before. */
  isNew: boolean;
}

export type SettledTargets = Record<'applied' | 'failed', SettledTarget[]>;

/** The outcome of a device for a job, shown in the Temporal UI. */
export interface TargetOutcome {
  organizationId: string;
  jobId: string;
  serialNumber: string;
  event: 'applied' | 'failed';
}

export function targetOutcomes(
  outcomes: ExchangeOutcome[],
  { failed, applied }: SettledTargets,
): TargetOutcome[] {
  const serials = new Map(outcomes.map(({ device }) => [device.assetId, device.serialNumber]));
  const toOutcome =
    (event: TargetOutcome['event']) =>
    ({ organizationId, jobId, assetId }: SettledTarget) => ({
      organizationId,
      jobId,
      serialNumber: serials.get(assetId) as string,
      event,
    });
  return [...failed.map(toOutcome('failed')), ...applied.map(toOutcome('applied'))];
}

export function exchangeEvents(
  outcomes: ExchangeOutcome[],
  { failed, applied }: SettledTargets,
): DomainEvent[] {
  return outcomes.flatMap((outcome) => [
    ...rejectionEvents(outcome, targetsOf(outcome, failed)),
    ...confirmationEvents(outcome, targetsOf(outcome, applied)),
  ]);
}

const targetsOf = ({ device }: ExchangeOutcome, settled: SettledTarget[]) =>
  settled.filter(({ assetId }) => assetId === device.assetId);

/**
 * One event per job that waited for it; else one per job that had given up; without any job, one without a
 * job.
 */
function confirmationEvents(
  { device, wasConfirmed, at }: ExchangeOutcome,
  confirmed: SettledTarget[],
): DomainEvent[] {
  if (!wasConfirmed) return [];
  const waited = confirmed.filter(({ isNew }) => isNew);
  return causesOf(waited.length > 0 ? waited : confirmed).map((cause) => ({
    organizationId: device.organizationId,
    type: 'config.applied' as const,
    timestamp: at,
    data: { ...configData(device, cause), appliedAt: at.toISOString() },
  }));
}

function rejectionEvents({ device, rejection, at }: ExchangeOutcome, failed: SettledTarget[]): DomainEvent[] {
  if (rejection === null) return [];
  return causesOf(failed).map((cause) => ({
    organizationId: device.organizationId,
    type: 'config.failed' as const,
    timestamp: at,
    data: { ...configData(device, cause), reason: rejection, failedAt: at.toISOString() },
  }));
}

interface Cause {
  jobId: string | null;
  profileSlug: string | null;
}

const causesOf = (settled: SettledTarget[]): Cause[] =>
  settled.length > 0 ? settled : [{ jobId: null, profileSlug: null }];

const configData = ({ serialNumber, assetId, sync }: Device, { jobId, profileSlug }: Cause) => ({
  serialNumber,
  assetId,
  profileSlug,
  jobId,
  deviceConfig: sync.reported?.config ?? null,
});
