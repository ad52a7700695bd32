/** What the frames of one batch make of one device, one after the other. */
import { expectedBy } from './expected-contact.ts';
import type { Frame } from './frame.ts';
import type { Layout } from './layout.ts';
import {
  isPlausible,
  keyOfReading,
  located,
  marked,
  newest,
  type Reading,
  type TakenReading,
} from './reading.ts';
import { signalStrengthOf } from './signal.ts';
import type { DeviceState } from './taken.ts';

export interface Step {
  frame: Frame;
  /** Not known from an earlier frame of the batch; some of them may be stored already. */
  readings: TakenReading[];
  /** Sent twice, in this frame or in an earlier one of the batch. */
  repeated: number;
  /** Of no plausible time. */
  dropped: number;
  before: DeviceState;
  state: DeviceState;
}

export interface DeviceCourse {
  /** The interval, in seconds, is what the device keeps to from this frame on; null where that is not known. */
  take(frame: Frame, transmissionInterval: number | null): Step;
  state(): DeviceState;
}

export function createDeviceCourse(initial: DeviceState, layout: Layout): DeviceCourse {
  let state = initial;
  const seen = new Set<number>();
  return {
    take(frame, transmissionInterval) {
      const before = state;
      const shown = frame.channelTypes ?? before.channelTypes;
      const plausible = frame.readings.filter(({ measuredAt }) => isPlausible(measuredAt, frame.receivedAt));
      const own = located(plausible, { ...layout, channelTypes: layout.channelTypes ?? shown });
      const unique = own.filter((reading) => isFirst(seen, reading));
      state = after(before, frame, unique, expectedBy({ ...contactOf(frame), transmissionInterval }));
      return {
        frame,
        readings: marked(unique, before.judged, frame.receivedAt),
        repeated: own.length - unique.length,
        dropped: frame.readings.length - plausible.length,
        before,
        state,
      };
    },
    state: () => state,
  };
}

const contactOf = ({ receivedAt, nextTransmissionAt }: Frame) => ({ at: receivedAt, nextTransmissionAt });

function isFirst(seen: Set<number>, reading: Reading): boolean {
  const key = keyOfReading(reading);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

const CLOCK_AHEAD_MS = 5 * 60_000;

/** What a clock that ran ahead has stamped makes nothing late that comes after it was set right. */
const isOfNow = (measuredAt: Date, receivedAt: Date) =>
  measuredAt.getTime() <= receivedAt.getTime() + CLOCK_AHEAD_MS;

/** What a frame does not say stays as it was. */
function after(before: DeviceState, frame: Frame, readings: Reading[], expected: Date | null): DeviceState {
  const times = readings.flatMap(({ value, measuredAt }) => (value === null ? [] : [measuredAt]));
  return {
    status: 'online',
    signalStrength: frame.signal === null ? before.signalStrength : signalStrengthOf(frame.signal),
    batteryStatus: frame.batteryStatus ?? before.batteryStatus,
    lastReadingAt: latest([before.lastReadingAt, ...times]),
    storedUntil: latest([
      before.storedUntil,
      before.lastReadingAt,
      ...readings.map(({ measuredAt }) => measuredAt),
    ]),
    lastContactAt: latest([before.lastContactAt, frame.receivedAt]),
    expectedBy: expected,
    channelTypes: frame.channelTypes ?? before.channelTypes,
    judged: newest(
      before.judged,
      readings.filter(({ measuredAt }) => isOfNow(measuredAt, frame.receivedAt)),
    ),
  };
}

const latest = (dates: Array<Date | null>): Date | null =>
  dates.reduce((last, date) => (date !== null && (last === null || date > last) ? date : last), null);
