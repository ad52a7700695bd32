/** Hours of every day in which nothing is sent, by the clock on the wall of a time zone. */
import { utcOffsetMinutes } from '../profiles/time-zone.ts';

export interface QuietHours {
  /** `HH:MM`. */
  from: string;
  /** The first minute that is not quiet; earlier than `from`: on the day after. */
  to: string;
  /** IANA. */
  timezone: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** When the quiet hours that hold this moment end; null when it is in none. */
export function quietUntil(quietHours: QuietHours | null, at: Date): Date | null {
  if (quietHours === null || !isQuiet(quietHours, at)) return null;
  const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
  const left = modulo(minutesOf(quietHours.to) - wallMinute(quietHours, minute), DAY_MINUTES);
  const end = plusMinutes(minute, left);
  // A night in which the clocks are changed is longer or shorter than they say.
  const { timezone } = quietHours;
  const changed = plusMinutes(end, utcOffsetMinutes(timezone, minute) - utcOffsetMinutes(timezone, end));
  return firstNotQuiet(quietHours, changed > at && !isQuiet(quietHours, changed) ? changed : end);
}

/** Where the clocks skip the time of the end, the quiet hours end with the skip, up to an hour before. */
function firstNotQuiet(quietHours: QuietHours, found: Date): Date {
  const before = plusMinutes(found, -1);
  return isQuiet(quietHours, before) ? found : firstNotQuiet(quietHours, before);
}

function isQuiet(quietHours: QuietHours, at: Date): boolean {
  const [from, to] = [minutesOf(quietHours.from), minutesOf(quietHours.to)];
  const minute = wallMinute(quietHours, at);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

const wallMinute = ({ timezone }: QuietHours, at: Date): number =>
  modulo(Math.floor(at.getTime() / MINUTE_MS) + utcOffsetMinutes(timezone, at), DAY_MINUTES);

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const plusMinutes = (at: Date, minutes: number) => new Date(at.getTime() + minutes * MINUTE_MS);
const modulo = (value: number, by: number) => ((value % by) + by) % by;
