/** What follows from a stored frame for its device: the answer, and what the exchange of configurations has to learn. */
import { withFrameTypes } from '../devices/channel-layout.ts';
import type { ObservedCapabilities, OfferedChange } from '../devices/device.ts';
import type { ObservedPeriod } from '../devices/device-exchange.ts';
import { offered } from '../devices/device-sync.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import type { ConfigState, StoredFrame } from './stored-frame.ts';

export interface IntakeResult {
  /** Readings that were new. */
  accepted: number;
  /** Readings that were stored before, or repeated. */
  duplicates: number;
  /** Readings with another value or type than a known one of their channel and time, which stays. */
  conflicts: number;
  /** Readings without a plausible time, or older than the retention. */
  dropped: number;
  /** The change that the answer carries, which counts as fetched. */
  pendingConfig: OfferedChange | null;
  /** The device runs something else than it reported last, or it has never reported. */
  wantsReport: boolean;
}

/** What a frame tells of the configuration of its device. */
export interface ConfigContact extends SerialInOrganization {
  /** A hash that is not known yet. */
  observedHash?: number;
  /** Another period of measurement than the one in force. */
  observedPeriod?: ObservedPeriod;
  /** Channels that are not known yet. */
  observed?: ObservedCapabilities;
  /** The answer carries what is pending, which is recorded as fetched. */
  canDeliverConfig: boolean;
}

/** A change that is not fetched yet comes from the exchange, see below; one that is needs no further statement. */
export function toIntakeResult({
  frame,
  device,
  sync,
  fresh,
  duplicates,
  conflicts,
  dropped,
}: StoredFrame): IntakeResult {
  const isFetched = sync.pending?.fetchedAt != null;
  return {
    accepted: fresh.length,
    duplicates,
    conflicts,
    dropped,
    pendingConfig: frame.canDeliverConfig && isFetched ? offered(sync) : null,
    wantsReport: frame.configHash !== null && frame.configHash !== device.config.reportedHash,
  };
}

/** Null for nearly all frames: they tell nothing new, and no change waits to be fetched. */
export function toConfigContact(stored: StoredFrame): ConfigContact | null {
  const { frame, device, sync, channelTypes } = stored;
  const { organizationId, serialNumber, configHash, canDeliverConfig } = frame;
  const observedPeriod = toOtherPeriod(stored);
  const mustFetch = canDeliverConfig && sync.pending?.fetchedAt === null && offered(sync) !== null;
  const isNewHash = configHash !== null && isUnknownHash(configHash, device.config);
  const isNewLayout = channelTypes !== null && showsMore(channelTypes, device.config);
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

/** A frame of late readings alone tells how the device measured then, not how it does now. */
function toOtherPeriod({ frame, device, fresh }: StoredFrame): ObservedPeriod | null {
  const { measurementPeriodSeconds: seconds, receivedAt } = frame;
  const isOther = seconds !== null && seconds !== device.config.periodSeconds;
  return isOther && fresh.some(({ late }) => !late) ? { seconds, receivedAt } : null;
}

const isUnknownHash = (hash: number, { reportedHash, observedHash }: ConfigState): boolean =>
  reportedHash !== null && hash !== (observedHash ?? reportedHash);

const showsMore = (observed: number[], { channelTypes, areChannelsReported }: ConfigState): boolean =>
  !areChannelsReported && withFrameTypes(channelTypes, observed).join() !== channelTypes?.join();
