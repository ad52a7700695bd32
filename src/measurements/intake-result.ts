/** The answer to a frame, and the exchange of configurations that the frame asks for. */
import { withFrameTypes } from '../devices/channel-layout.ts';
import type { Device, OfferedChange } from '../devices/device.ts';
import type { DeviceExchange, ExchangeResult, ObservedPeriod } from '../devices/device-exchange.ts';
import { type DeviceSync, offered } from '../devices/device-sync.ts';
import type { ReceivedFrame } from './received-frame.ts';

export interface IntakeResult {
  /** Readings that were new. */
  accepted: number;
  /** Readings that were stored before, or repeated. */
  duplicates: number;
  /** Readings with another value or type than a known one of their channel and time, which stays. */
  conflicts: number;
  /** Readings without a plausible time, or older than the retention. */
  dropped: number;
  /** The change in the answer, which counts as fetched. */
  pendingConfig: OfferedChange | null;
  /** Whether the device runs something else than it reported last, or has never reported. */
  wantsReport: boolean;
}

/**
 * A change that is not fetched yet comes from the exchange, see below; a fetched one needs no further
 * statement.
 */
export function toIntakeResult(
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
export function toExchange(stored: ReceivedFrame): DeviceExchange | null {
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
