/** Faults injected between devices and the service, drawn from a seeded random generator. */
import type { ConfigAnswer } from '../../src/gateway/config-message.ts';
import type { MeasurementsMessage } from '../../src/gateway/measurements-message.ts';
import { NO_ANSWER, Unanswered, type Uplink } from './uplink.ts';

export const FAULTS = ['drop', 'late', 'duplicate', 'refuse'] as const;
export type Fault = (typeof FAULTS)[number];

/**
 * Shares, 0..1. drop: lost datagrams, in either direction. duplicate: duplicated datagrams. late: frames at
 * which an outage of the network begins. refuse: devices that refuse every change.
 */
export type FaultShares = Record<Fault, number>;

export const NO_FAULTS: FaultShares = { drop: 0, late: 0, duplicate: 0, refuse: 0 };
export const DEFAULT_SHARES: FaultShares = { drop: 0.1, late: 0.05, duplicate: 0.1, refuse: 0.1 };

/** Number of copies of a message that arrive; 0: it is lost. */
export type Copies = (way: 'out' | 'in') => number;

export const copiesOf =
  ({ drop, duplicate }: FaultShares, random: () => number): Copies =>
  (way) => {
    const draw = random();
    if (draw < drop) return 0;
    return way === 'out' && draw < drop + duplicate ? 2 : 1;
  };

/** Frames lost in one outage. */
const OUTAGE_FRAMES_MAX = 4;

/**
 * Loses some frames in a row from time to time. Afterwards the newest samples are sent first, so the service
 * gets those of the outage late.
 */
export function withOutages(uplink: Uplink, share: number, random: () => number): Uplink {
  let framesLeft = 0;
  let isAfterOutage = false;
  return {
    ...uplink,
    async measurements(message, confirmable) {
      if (framesLeft === 0 && random() < share) framesLeft = 1 + Math.floor(random() * OUTAGE_FRAMES_MAX);
      if (framesLeft === 0) {
        const messages = isAfterOutage ? newestFirst(message) : [message];
        let answer: ConfigAnswer | null = null;
        for (const each of messages) answer = (await uplink.measurements(each, confirmable)) ?? answer;
        isAfterOutage = false;
        return answer;
      }
      framesLeft--;
      isAfterOutage = true;
      if (confirmable) throw new Unanswered(NO_ANSWER);
      return null;
    },
  };
}

/** The second half of the samples, and then the first. */
function newestFirst(message: MeasurementsMessage): MeasurementsMessage[] {
  const count = Math.max(...message.channels.map(({ sampleOffsets }) => sampleOffsets.length));
  const half = Math.floor(count / 2);
  if (half === 0) return [message];
  return [withSamples(message, half, count), withSamples(message, 0, half)];
}

function withSamples(message: MeasurementsMessage, from: number, to: number): MeasurementsMessage {
  const periodSeconds = message.measurementPeriodBase * message.measurementPeriodFactor;
  const channels = message.channels.map((channel) =>
    channel.type === 0
      ? channel
      : {
          ...channel,
          timestamp: channel.timestamp + from * periodSeconds,
          sampleOffsets: channel.sampleOffsets.slice(from, to),
        },
  );
  return { ...message, channels };
}
