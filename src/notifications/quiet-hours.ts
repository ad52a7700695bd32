/** Daily hours in which nothing is sent, by the local time of a time zone. */
import { DAY_MINUTES, MINUTE_MS, minutesAfterMidnight, plusMinutes } from '../process/durations.ts';
import { utcOffsetMinutes } from '../profiles/time-zone.ts';

export interface QuietHours {
  /** `HH:MM`. */
  from: string;
  /** The first minute after the quiet hours; if earlier than `from`, on the next day. */
  to: string;
  /** IANA name. */
  timezone: string;
}

/** The end of the quiet hours that include this moment; null when none do. */
export function quietUntil(quietHours: QuietHours | null, at: Date): Date | null {
  if (quietHours === null || !isQuiet(quietHours, at)) return null;
  const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
  const left = modulo(minutesAfterMidnight(quietHours.to) - wallMinute(quietHours, minute), DAY_MINUTES);
  const end = plusMinutes(minute, left);
  // A night with a clock change is longer or shorter than the two times suggest.
  const { timezone } = quietHours;
  const changed = plusMinutes(end, utcOffsetMinutes(timezone, minute) - utcOffsetMinutes(timezone, end));
  return firstNotQuiet(quietHours, changed > at && !isQuiet(quietHours, changed) ? changed : end);
}

/** If the clocks skip the time of the end, the quiet hours end with the skip, up to an hour earlier. */
function firstNotQuiet(quietHours: QuietHours, found: Date): Date {
  const before = plusMinutes(found, -1);
  return isQuiet(quietHours, before) ? found : firstNotQuiet(quietHours, before);
}

function isQuiet(quietHours: QuietHours, at: Date): boolean {
  const [from, to] = [minutesAfterMidnight(quietHours.from), minutesAfterMidnight(quietHours.to)];
  const minute = wallMinute(quietHours, at);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

const wallMinute = ({ timezone }: QuietHours, at: Date): number =>
  modulo(Math.floor(at.getTime() / MINUTE_MS) + utcOffsetMinutes(timezone, at), DAY_MINUTES);

const modulo = (value: number, by: number) => ((value % by) + by) % by;
