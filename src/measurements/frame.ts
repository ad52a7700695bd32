/**
 * A frame, the device that sent it, the readings of it that are new, and the state of the device after it: pure.
 */
import type { Device } from '../devices/device.ts';
import {
  CHANNELS_MAX,
  hasKnownLayout,
  type Layout,
  PROBE_POSITIONS,
  slotAt,
  TEMPERATURE,
  temperatureSlots,
  withFrameTypes,
} from '../devices/device-capabilities.ts';
import { isAheadOfTime, isOvertaken, isPlausibleTime } from '../devices/device-clock.ts';
import {
  afterFrameSignal,
  type BatteryStatus,
  type FrameSignal,
  type KnownSignal,
  type ReportedBatteryStatus,
} from '../devices/device-status.ts';
import { expectedIntervalSeconds, fetch } from '../devices/device-sync.ts';
import {
  type ClassifiedReading,
  checkTypes,
  classifyLateness,
  isSameSample,
  keyOfReading,
  type LatestReading,
  mergeLatest,
  mergeNewest,
  type NewestByChannel,
  type Reading,
  resolveChannels,
  type SentReading,
} from '../devices/reading.ts';
import { afterFrameContact, type Presence } from '../presence/presence.ts';

/** One message of a device with its readings, over any transport. */
export interface Frame {
  organizationId: string;
  serialNumber: string;
  readings: SentReading[];
  /** Null if the frame leaves it out; so are the fields below. */
  batteryStatus: ReportedBatteryStatus | null;
  signal: FrameSignal | null;
  configHash: number | null;
  nextTransmissionAt: Date | null;
  /** Seconds between two readings of a channel. */
  measurementPeriodSeconds: number | null;
  /** The type of each channel; a frame over HTTP does not contain them all. */
  channelTypes: number[] | null;
  receivedAt: Date;
  /** Whether the answer reaches the device, so that it can carry a change of its configuration. */
  canDeliverConfig: boolean;
}

/** What messages change of a device beside its configuration. */
export interface DeviceState extends KnownSignal {
  presence: Presence;
  batteryStatus: BatteryStatus;
  lastReadingAt: Date | null;
  /** No stored reading is newer, including sensor errors; null: unknown. */
  latestMeasuredAt: Date | null;
  /** Channel types from its frames. */
  channelTypes: number[] | null;
  newestReadingAt: NewestByChannel;
  /** By channel; late samples do not replace others. */
  latest: readonly LatestReading[];
}

/** The stored state of an active device before its message, locked. */
export interface LockedState {
  /** Types of events with a subscriber in its organization. */
  subscribed: ReadonlySet<string>;
  /** Belongs to the alerts, which also update it. */
  openAlerts: unknown[];
  state: DeviceState;
}

/** Its configuration is locked only where the message concerns it. */
export type LockedDevice = Device & LockedState;

/** A frame with its new readings; events derive from it. */
export interface ReceivedFrame {
  frame: Frame;
  device: LockedDevice;
  /** Whether the channels that the frame shows have changed the alert rules, which it is evaluated by. */
  hasOtherAlertRules?: boolean;
  /** The channels of the device in the frame; null when it contains none. */
  channelTypes: number[] | null;
  /** Readings that were not known before, in the order sent. */
  fresh: ClassifiedReading[];
  /** Readings that were stored before, or are repeated in the frame. */
  duplicates: number;
  /** Readings with another value or type than a known one of their channel and time: the first one stays. */
  conflicts: number;
  /** Readings without a plausible time, or older than the retention. */
  dropped: number;
  /** State after this frame. */
  state: DeviceState;
}

/**
 * Readings that may be stored already: those that are not newer than the state of their device knows, or all.
 */
export type DuplicateCheck = 'no newer' | 'all';

/** The state of a device knows less than is stored, so a reading that looks new may be a duplicate. */
export class OutdatedDeviceState extends Error {}

export function mayBeStored(measuredAt: Date, { state }: LockedDevice, check: DuplicateCheck): boolean {
  const { latestMeasuredAt } = state;
  return check === 'all' || latestMeasuredAt === null || measuredAt <= latestMeasuredAt;
}

export interface ReceiveOptions {
  now: Date;
  /** Older readings are dropped; default: none are. */
  retentionMs?: number | undefined;
  /** Readings of the device that are stored at the times of the frame, by key. */
  stored?: ReadonlyMap<number, Reading> | undefined;
}

/** Whether the time is plausible, and the reading is not about to be removed. */
export const isKept = (measuredAt: Date, receivedAt: Date, retentionMs = Number.POSITIVE_INFINITY): boolean =>
  isPlausibleTime(measuredAt, receivedAt) && receivedAt.getTime() - measuredAt.getTime() <= retentionMs;

/** @throws invalid when a channel has two types in the frame. */
export function receiveFrame(
  device: LockedDevice,
  sent: Frame,
  { now, retentionMs, stored }: ReceiveOptions,
): ReceivedFrame {
  const { state: before, areChannelsReported } = device;
  const arrival = { receivedAt: sent.receivedAt, isAbandoned: false };
  const isOld = isOvertaken(arrival, before.presence.lastContactAt, now);
  const frame = isOld ? withReadingsAlone(sent) : sent;
  const layout = layoutOf(device);
  const channelTypes =
    frame.channelTypes ?? (areChannelsReported ? null : inferChannelTypes(frame.readings, layout));
  const shown =
    channelTypes === null ? layout.channelTypes : withFrameTypes(layout.channelTypes, channelTypes);
  const resolved = resolveChannels(frame.readings, { ...layout, channelTypes: shown });
  checkTypes(resolved);
  const readings = resolved.filter(({ measuredAt }) => isKept(measuredAt, frame.receivedAt, retentionMs));
  const { agreeing, isNew } = compareWith(new Map(stored), readings);
  const classified = classifyLateness(agreeing, before.newestReadingAt, frame.receivedAt);
  const fresh = classified.filter((_, index) => isNew[index]);
  const state = stateAfter(device, frame, classified, channelTypes);
  return {
    frame,
    device,
    channelTypes,
    fresh,
    duplicates: agreeing.length - fresh.length,
    conflicts: readings.length - agreeing.length,
    dropped: resolved.length - readings.length,
    state: isOld ? { ...state, presence: before.presence } : state,
  };
}

/**
 * The state of a device is the one that its newest frame shows; readings have times of their own. Nobody may
 * wait for the answer any more, so it delivers no change.
 */
const withReadingsAlone = (frame: Frame): Frame => ({
  ...frame,
  batteryStatus: null,
  signal: null,
  configHash: null,
  nextTransmissionAt: null,
  measurementPeriodSeconds: null,
  canDeliverConfig: false,
});

/** The channels that configurations are compiled for, or else the channels that its frames showed. */
const layoutOf = ({ capabilities: { model, channelTypes }, state }: LockedDevice): Layout => ({
  model,
  channelTypes: channelTypes ?? state.channelTypes,
});

/**
 * The channels that a frame without a list of channels shows: a temperature on a channel by its number, where it moves a position;
 * and where nothing else is known, both positions in one frame, which mean the first two channels that the frame does not
 * name by number. Null: nothing new.
 */
function inferChannelTypes(readings: SentReading[], layout: Layout): number[] | null {
  const types = Array<number>(CHANNELS_MAX).fill(0);
  for (const { channel, type } of readings) if (typeof channel === 'number') types[channel - 1] = type;
  if (types.includes(TEMPERATURE))
    return movesPosition(types, layout) ? withKnownTemperatures(types, layout) : null;
  const positions = new Set(readings.map(({ channel }) => channel));
  if (!positions.has('ambient') || !positions.has('probe') || hasKnownLayout(layout)) return null;
  const free = types.flatMap((type, slot) => (type === 0 ? [slot] : [])).slice(0, 2);
  for (const slot of free) types[slot] = TEMPERATURE;
  return free.length === 2 ? types : null;
}

function movesPosition(types: number[], layout: Layout): boolean {
  const after = { ...layout, channelTypes: withKnownTemperatures(types, layout) };
  return PROBE_POSITIONS.some((position) => slotAt(position, after) !== slotAt(position, layout));
}

/** Adds the temperatures that the model has. */
function withKnownTemperatures(types: number[], layout: Layout): number[] {
  const slots = temperatureSlots(layout) ?? [];
  const temperatures = types.map((_, slot) => (slots.includes(slot) ? TEMPERATURE : 0));
  return withFrameTypes(withFrameTypes(layout.channelTypes, temperatures), types);
}

/** Leaves out readings that contradict a known one of the same channel and time: the first one stays. */
function compareWith(seen: Map<number, Reading>, readings: readonly Reading[]) {
  const agreeing: Reading[] = [];
  const isNew: boolean[] = [];
  for (const reading of readings) {
    const key = keyOfReading(reading);
    const known = seen.get(key);
    if (known && !isSameSample(known, reading)) continue;
    if (!known) seen.set(key, reading);
    agreeing.push(reading);
    isNew.push(!known);
  }
  return { agreeing, isNew };
}

function presenceAfter(
  { state, sync }: LockedDevice,
  { receivedAt: at, nextTransmissionAt, canDeliverConfig }: Frame,
): Presence {
  // The answer to the frame carries the change, if it can.
  const intervalSeconds = expectedIntervalSeconds(canDeliverConfig ? fetch(sync, at) : sync);
  return afterFrameContact(state.presence, { at, nextTransmissionAt, intervalSeconds });
}

/** Fields that the frame leaves out stay as they were. */
function stateAfter(
  device: LockedDevice,
  frame: Frame,
  readings: ClassifiedReading[],
  channelTypes: number[] | null,
): DeviceState {
  const { state: before } = device;
  // Readings from a fast clock do not make later ones late once the clock is right.
  const newestReadingAt = mergeNewest(
    before.newestReadingAt,
    readings.filter(({ measuredAt }) => !isAheadOfTime(measuredAt, frame.receivedAt)),
  );
  return {
    presence: presenceAfter(device, frame),
    ...afterFrameSignal(before, frame.signal),
    batteryStatus: frame.batteryStatus ?? before.batteryStatus,
    lastReadingAt: lastReadingAfter(before.lastReadingAt, newestReadingAt, readings, frame.receivedAt),
    latestMeasuredAt: timesOf(readings).reduce(later, later(before.latestMeasuredAt, before.lastReadingAt)),
    channelTypes: channelTypes ?? before.channelTypes,
    newestReadingAt,
    latest: mergeLatest(before.latest, readings, frame.receivedAt),
  };
}

/**
 * As with the latest samples, a time from a fast clock is replaced by any other: by the newest one from a
 * correct clock.
 */
function lastReadingAfter(
  known: Date | null,
  newestReadingAt: NewestByChannel,
  readings: ClassifiedReading[],
  receivedAt: Date,
): Date | null {
  const times = timesOf(readings.filter(({ value }) => value !== null));
  if (times.length === 0 || known === null || !isAheadOfTime(known, receivedAt))
    return times.reduce(later, known);
  return Object.values(newestReadingAt)
    .map((atMs) => new Date(atMs))
    .reduce(later, times.reduce(later, null));
}

const timesOf = (readings: ClassifiedReading[]): Array<Date | null> =>
  readings.map(({ measuredAt }) => measuredAt);

const later = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b > a) ? b : a);
