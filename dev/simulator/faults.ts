/** What goes wrong between a device and the service, on purpose and with seeded dice. */
import type { Uplink } from './uplink.ts';
import { NO_ANSWER, Unanswered } from './uplink.ts';

export const FAULTS = ['drop', 'late', 'duplicate', 'refuse'] as const;
export type Fault = (typeof FAULTS)[number];

/**
 * Shares, 0..1. drop: of datagrams, in either direction. duplicate: of datagrams. late: of frames that begin a time
 * without coverage. refuse: of devices that take no change.
 */
export type FaultShares = Record<Fault, number>;

export const NO_FAULTS: FaultShares = { drop: 0, late: 0, duplicate: 0, refuse: 0 };
export const DEFAULT_SHARES: FaultShares = { drop: 0.1, late: 0.05, duplicate: 0.1, refuse: 0.1 };

/** How often a message gets through; 0 = it is lost. */
export type Copies = (way: 'out' | 'in') => number;

export const copiesOf =
  ({ drop, duplicate }: FaultShares, random: () => number): Copies =>
  (way) => {
    const draw = random();
    if (draw < drop) return 0;
    return way === 'out' && draw < drop + duplicate ? 2 : 1;
  };

/** Frames that a time without coverage swallows. */
const OUTAGE_FRAMES_MAX = 4;

/** Now and then nothing gets out for some frames: their samples come late, with a later one. */
export function withOutages(uplink: Uplink, share: number, random: () => number): Uplink {
  let framesLeft = 0;
  return {
    ...uplink,
    async measurements(message, confirmable) {
      if (framesLeft === 0 && random() < share) framesLeft = 1 + Math.floor(random() * OUTAGE_FRAMES_MAX);
      if (framesLeft === 0) return uplink.measurements(message, confirmable);
      framesLeft--;
      if (confirmable) throw new Unanswered(NO_ANSWER);
      return null;
    },
  };
}
