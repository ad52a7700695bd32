/** What the frames of one batch make of one device, one after the other. */

import { CHANNELS_MAX, hasKnownLayout, type Layout, TEMPERATURE } from '../devices/channel-layout.ts';
import { isAheadOfTime, isPlausibleTime } from '../devices/device-clock.ts';
import { signalStrengthOf } from '../devices/device-status.ts';
import { expectedBy } from '../presence/expected-contact.ts';
import type { Frame } from './frame.ts';
import {
  type ClassifiedReading,
  classifyLateness,
  keyOfReading,
  mergeNewest,
  type Reading,
  resolveChannels,
  type SentReading,
} from './reading.ts';
import type { DeviceState } from './stored-frame.ts';

export interface FrameResult {
  frame: Frame;
  /** What is where, as the frame shows it; null when it does not. */
  channelTypes: number[] | null;
  /** Not known from an earlier frame of the batch; some of them may be stored already. */
  readings: ClassifiedReading[];
  /** Sent twice, in this frame or in an earlier one of the batch. */
  repeated: number;
  /** Of no plausible time. */
  dropped: number;
  before: DeviceState;
  state: DeviceState;
}

export interface DeviceFrames {
  /** The interval, in seconds, is what the device keeps to from this frame on; null where that is not known. */
  take(frame: Frame, transmissionInterval: number | null): FrameResult;
  state(): DeviceState;
}

export function createDeviceFrames(initial: DeviceState, layout: Layout): DeviceFrames {
  let state = initial;
  const seen = new Set<number>();
  return {
    take(frame, transmissionInterval) {
      const before = state;
      const known = layout.channelTypes ?? before.channelTypes;
      const channelTypes =
        frame.channelTypes ?? typesNamed(frame.readings, { ...layout, channelTypes: known });
      const plausible = frame.readings.filter(({ measuredAt }) =>
        isPlausibleTime(measuredAt, frame.receivedAt),
      );
      const own = resolveChannels(plausible, { ...layout, channelTypes: known ?? channelTypes });
      const unique = own.filter((reading) => isFirst(seen, reading));
      state = {
        ...after(before, frame, unique),
        expectedBy: expectedBy({ ...contactOf(frame), transmissionInterval }),
        channelTypes: channelTypes ?? before.channelTypes,
      };
      return {
        frame,
        channelTypes,
        readings: classifyLateness(unique, before.newestReadingAt, frame.receivedAt),
        repeated: own.length - unique.length,
        dropped: frame.readings.length - plausible.length,
        before,
        state,
      };
    },
    state: () => state,
  };
}

/**
 * Who names both positions has a temperature channel for each. As long as nothing else is known, they are taken to be
 * the first two channels that the same frame does not use by their numbers.
 */
function typesNamed(readings: SentReading[], layout: Layout): number[] | null {
  const names = new Set(readings.map(({ channel }) => channel));
  if (!names.has('ambient') || !names.has('probe') || hasKnownLayout(layout)) return null;
  const numbered = readings.filter(({ channel }) => typeof channel === 'number');
  if (numbered.some(({ type }) => type === TEMPERATURE)) return null;
  const types = Array<number>(CHANNELS_MAX).fill(0);
  for (const { channel, type } of numbered) types[(channel as number) - 1] = type;
  const free = types.flatMap((type, slot) => (type === 0 ? [slot] : [])).slice(0, 2);
  for (const slot of free) types[slot] = TEMPERATURE;
  return free.length === 2 ? types : null;
}

const contactOf = ({ receivedAt, nextTransmissionAt }: Frame) => ({ at: receivedAt, nextTransmissionAt });

function isFirst(seen: Set<number>, reading: Reading): boolean {
  const key = keyOfReading(reading);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** What a frame does not say stays as it was. */
function after(
  before: DeviceState,
  frame: Frame,
  readings: Reading[],
): Omit<DeviceState, 'expectedBy' | 'channelTypes'> {
  const times = readings.flatMap(({ value, measuredAt }) => (value === null ? [] : [measuredAt]));
  return {
    status: 'online',
    signalStrength: frame.signal === null ? before.signalStrength : signalStrengthOf(frame.signal),
    batteryStatus: frame.batteryStatus ?? before.batteryStatus,
    lastReadingAt: latest([before.lastReadingAt, ...times]),
    latestMeasuredAt: latest([
      before.latestMeasuredAt,
      before.lastReadingAt,
      ...readings.map(({ measuredAt }) => measuredAt),
    ]),
    lastContactAt: latest([before.lastContactAt, frame.receivedAt]),
    // Readings stamped by a clock that was fast do not make later ones late once the clock is right.
    newestReadingAt: mergeNewest(
      before.newestReadingAt,
      readings.filter(({ measuredAt }) => !isAheadOfTime(measuredAt, frame.receivedAt)),
    ),
  };
}

const latest = (dates: Array<Date | null>): Date | null =>
  dates.reduce((last, date) => (date !== null && (last === null || date > last) ? date : last), null);
