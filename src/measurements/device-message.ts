/** Messages of devices, whatever the transport, and the changes that they make: pure. */
import type { Device, DeviceInfoReport } from '../devices/device.ts';
import { parseRuleSlots, withFrameTypes } from '../devices/device-capabilities.ts';
import { isOvertaken } from '../devices/device-clock.ts';
import type {
  DeviceExchange,
  ExchangeOutcome,
  ExchangeResult,
  ObservedPeriod,
} from '../devices/device-exchange.ts';
import { afterInfoSignal } from '../devices/device-status.ts';
import { type DeviceSync, type OfferedChange, offered } from '../devices/device-sync.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import { cameOnline } from '../presence/presence.ts';
import { unavailable } from '../process/errors.ts';
import {
  type DeviceState,
  type Frame,
  type LockedDevice,
  type ReceivedFrame,
  type ReceiveOptions,
  receiveFrame,
} from './frame.ts';

/** A frame, an exchange of configurations, or device info, which also shows the capabilities. */
export interface DeviceMessage extends SerialInOrganization {
  frame?: Frame;
  exchange?: DeviceExchange;
  info?: DeviceInfoReport;
}

export interface IntakeResult extends Pick<ReceivedFrame, 'duplicates' | 'conflicts' | 'dropped'> {
  /** Readings that were new. */
  accepted: number;
  /** The change in the answer, which counts as fetched. */
  pendingConfig: OfferedChange | null;
  /** Whether the device runs something else than it reported last, or has never reported. */
  wantsReport: boolean;
}

export interface MessageResult {
  frame: IntakeResult | null;
  exchange: ExchangeResult | null;
}

export interface ReceivedMessage {
  /** As it was stored. */
  device: LockedDevice;
  frame: ReceivedFrame | null;
  exchange: DeviceExchange | null;
  info: DeviceInfoReport | null;
  /** After the message. */
  state: DeviceState;
}

export function toInfoMessage(report: DeviceInfoReport): DeviceMessage {
  const { organizationId, info } = report;
  const { serialNumber, softwareVersion } = info;
  const ruleSlots = softwareVersion === null ? null : parseRuleSlots(softwareVersion);
  if (ruleSlots === null) return { organizationId, serialNumber, info: report };
  const observed = { channelTypes: null, ruleSlots, isReported: true };
  const exchange = { organizationId, serialNumber, observed, canDeliverConfig: false };
  return { organizationId, serialNumber, info: report, exchange };
}

/**
 * @throws invalid when the readings of a frame contradict each other, and unavailable when a newer report has overtaken
 * this one
 */
export function receiveMessage(
  device: LockedDevice,
  message: DeviceMessage,
  options: ReceiveOptions,
): ReceivedMessage {
  const { frame: sent, exchange, info } = message;
  if (exchange) requireNewest(device, exchange, options.now);
  const frame = sent ? receiveFrame(device, sent, options) : null;
  return {
    device,
    frame,
    exchange: frame ? toExchange(frame) : (exchange ?? null),
    info: info ?? null,
    state: frame ? frame.state : stateAfterInfo(device, info),
  };
}

/** A device that still waits sends its report again, as it is then. */
function requireNewest({ sync }: LockedDevice, { report, isAbandoned }: DeviceExchange, now: Date): void {
  if (!report) return;
  const arrival = { receivedAt: report.receivedAt, isAbandoned: isAbandoned?.() ?? false };
  if (isOvertaken(arrival, sync.reported?.at ?? null, now))
    throw unavailable('A newer report of the device came in meanwhile: report again', 1);
}

function stateAfterInfo({ state }: LockedDevice, report: DeviceInfoReport | undefined): DeviceState {
  const rssiDbm = report?.info.modem?.rssiDbm ?? null;
  return rssiDbm === null ? state : { ...state, ...afterInfoSignal(rssiDbm) };
}

/** Devices whose configuration the messages are about, as they are stored and locked. */
export const toContacting = (received: ReceivedMessage[], locked: ReadonlyMap<string, Device>) =>
  received.flatMap((each) => {
    const { device, exchange, state } = each;
    const before = locked.get(device.assetId);
    if (!exchange || !before) return [];
    return [{ before, presence: state.presence, exchange, shownSince: toShownSince(each) }];
  });

/** Rules for other channels count for the first readings of these, and change nothing of earlier ones; null: from now on. */
function toShownSince({ device: { registeredAt, state }, frame: stored }: ReceivedMessage): Date | null {
  const { latestMeasuredAt: known } = state;
  if (known === null) return registeredAt;
  if (stored === null) return null;
  const times = stored.fresh.map(({ measuredAt }) => measuredAt).filter((at) => at > known);
  return times.reduce((first, at) => (first < at ? first : at), stored.frame.receivedAt);
}

export function afterExchange(
  received: ReceivedMessage,
  outcome: ExchangeOutcome | undefined,
): ReceivedMessage {
  const { frame, state } = received;
  if (!outcome) return received;
  const { presence, hasOtherAlertRules, device } = outcome;
  return {
    ...received,
    state: presence === state.presence ? state : { ...state, presence },
    frame: frame && { ...frame, hasOtherAlertRules, device: { ...frame.device, sync: device.sync } },
  };
}

export const isBackOnline = ({ device, state }: ReceivedMessage): boolean =>
  cameOnline(device.state.presence, state.presence);

export const toMessageResult = (
  { frame }: ReceivedMessage,
  outcome: ExchangeOutcome | undefined,
): MessageResult => ({
  frame: frame && toIntakeResult(frame, outcome?.result ?? null),
  exchange: outcome?.result ?? null,
});

/**
 * A change that is not fetched yet comes from the exchange; a fetched one needs no further
 * statement.
 */
function toIntakeResult(
  { frame, device, fresh, duplicates, conflicts, dropped }: ReceivedFrame,
  exchanged: ExchangeResult | null,
): IntakeResult {
  const { sync } = device;
  const isFetched = sync.pending?.fetchedAt != null;
  const known = frame.canDeliverConfig && isFetched ? offered(sync) : null;
  return {
    accepted: fresh.length,
    duplicates,
    conflicts,
    dropped,
    pendingConfig: exchanged ? exchanged.pendingConfig : known,
    wantsReport: frame.configHash !== null && frame.configHash !== (sync.reported?.hash ?? null),
  };
}

/** Null for nearly all frames: they tell nothing new of the configuration, and no change waits to be fetched. */
function toExchange(stored: ReceivedFrame): DeviceExchange | null {
  const { frame, device, channelTypes } = stored;
  const { organizationId, serialNumber, configHash, canDeliverConfig } = frame;
  const { sync } = device;
  const observedPeriod = toOtherPeriod(stored);
  const mustFetch = canDeliverConfig && sync.pending?.fetchedAt === null && offered(sync) !== null;
  const isNewHash = configHash !== null && isUnknownHash(configHash, sync);
  const isNewLayout = channelTypes !== null && showsMore(channelTypes, device);
  if (!isNewHash && !isNewLayout && !mustFetch && !observedPeriod) return null;
  return {
    organizationId,
    serialNumber,
    ...(isNewHash && { observedHash: configHash }),
    ...(observedPeriod && { observedPeriod }),
    ...(isNewLayout && { observed: { channelTypes, ruleSlots: null, isReported: false } }),
    canDeliverConfig,
  };
}

/** A frame of late readings shows how the device measured then, and not how it does now. */
function toOtherPeriod({ frame, device, fresh }: ReceivedFrame): ObservedPeriod | null {
  const { measurementPeriodSeconds: seconds, receivedAt } = frame;
  const isOther = seconds !== null && seconds !== (device.settings.running?.measurementPeriodSeconds ?? null);
  return isOther && fresh.some(({ late }) => !late) ? { seconds, receivedAt } : null;
}

const isUnknownHash = (hash: number, { reported, observedHash }: DeviceSync): boolean =>
  reported !== null && reported.hash !== null && hash !== (observedHash ?? reported.hash);

const showsMore = (observed: number[], { capabilities: { channelTypes }, areChannelsReported }: Device) =>
  !areChannelsReported && withFrameTypes(channelTypes, observed).join() !== channelTypes?.join();
