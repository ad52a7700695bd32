/**
 * When devices could not be heard. The time that a device has for its next word stands still meanwhile: nobody is
 * silent to closed ears, and one outage excuses nobody for longer than it lasted.
 */

/** The ways in, by the kind of process that keeps them open. */
export type Ingress = 'api' | 'gateway';

/** One that is not seen for longer than that was away: a restart is no gap. */
export const OUTAGE_MIN_MS = 60_000;

/** A way in that stays shut for longer is told like any silence: the goods are not watched, whoever's fault it is. */
const EXCUSED_MAX_MS = 3_600_000;

export interface IngressHeartbeat {
  name: string;
  seenAt: Date;
}

export interface Outage {
  beganAt: Date;
  endedAt: Date;
}

export interface AvailabilityRecord {
  /** On the clock of the database, like the times beside it. */
  now: Date;
  listeners: IngressHeartbeat[];
  gaps: Outage[];
}

export interface OutageTracker {
  /** Gaps, those that go on among them, without overlap. */
  outages(ears: AvailabilityRecord): Outage[];
}

/** The hour counts from when this watch saw a way in shut: it may have been away itself for longer. */
export function createOutageTracker(): OutageTracker {
  const foundShutAt = new Map<string, number>();
  return {
    outages({ now, listeners, gaps }) {
      const shut = listeners.filter(({ seenAt }) => now.getTime() - seenAt.getTime() > OUTAGE_MIN_MS);
      for (const name of foundShutAt.keys()) {
        if (!shut.some((each) => each.name === name)) foundShutAt.delete(name);
      }
      const goingOn = shut.flatMap(({ name, seenAt }) => {
        const foundAt = foundShutAt.get(name) ?? now.getTime();
        foundShutAt.set(name, foundAt);
        return now.getTime() - foundAt > EXCUSED_MAX_MS ? [] : [{ beganAt: seenAt, endedAt: now }];
      });
      return mergeIntervals([...gaps, ...goingOn]);
    },
  };
}

function mergeIntervals(gaps: Outage[]): Outage[] {
  const whole: Outage[] = [];
  for (const gap of gaps.toSorted((a, b) => a.beganAt.getTime() - b.beganAt.getTime())) {
    const last = whole.at(-1);
    if (!last || gap.beganAt > last.endedAt) whole.push({ ...gap });
    else if (gap.endedAt > last.endedAt) last.endedAt = gap.endedAt;
  }
  return whole;
}
