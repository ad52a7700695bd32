/** A customer's expectations of alerts and schedules. */
import { type TemperatureAlert, WEEKDAYS, type WeekSchedule } from '../../src/profiles/profile.ts';

export const nearestTenth = (celsius: number) => {
  const hundredths = Math.round(celsius * 100);
  return Math.sign(hundredths) * Math.floor((Math.abs(hundredths) + 5) / 10);
};

/** Samples at which the temperature leaves the bounds or returns, as a person would follow the curve. */
function crossings(watched: TemperatureAlert, tenths: number[]): Array<'breach' | 'return' | null> {
  const min = watched.lowC === undefined ? -Infinity : nearestTenth(watched.lowC);
  const max = watched.highC === undefined ? Infinity : nearestTenth(watched.highC);
  const hysteresis = Math.min(nearestTenth(watched.hysteresisC), max - min);
  let side: 'above' | 'within' | 'below' = 'within';
  return tenths.map((value) => {
    const before = side;
    if (value > max) side = 'above';
    else if (value < min) side = 'below';
    else if (side === 'above' && value <= max - hysteresis) side = 'within';
    else if (side === 'below' && value >= min + hysteresis) side = 'within';
    if ((before === 'within') === (side === 'within')) return null;
    return side === 'within' ? 'return' : 'breach';
  });
}

export function expectedSamples(watched: TemperatureAlert, tenths: number[]): number[] {
  const { transmitOnBreach, transmitOnReturn } = watched;
  return crossings(watched, tenths).flatMap((crossing, sample) => {
    const startsWithin = sample === 0 && crossing === null && transmitOnReturn && !transmitOnBreach;
    const wanted = (crossing === 'breach' && transmitOnBreach) || (crossing === 'return' && transmitOnReturn);
    return wanted || startsWithin ? [sample] : [];
  });
}

/** By time zone: to make one takes many times as long as to use it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const digits = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long', ...digits });
  clocks.set(timeZone, made);
  return made;
}

export function localClock(timezone: string, at: Date): { weekday: string; minute: number } {
  const parts = clockOf(timezone).formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    weekday: part('weekday').toLowerCase(),
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

/** Minutes ahead of UTC, without whole days. */
export function offsetOf(timezone: string, at: Date): number {
  const utcMinute = at.getUTCHours() * 60 + at.getUTCMinutes();
  return (localClock(timezone, at).minute - utcMinute + 1440) % 1440;
}

export const minutesOf = (time: string) => Number(time.split(':')[0]) * 60 + Number(time.split(':')[1]);

/** Whether the latest window is still open: a window belongs to the day on which it opens. */
export function isWithinSchedule(schedule: WeekSchedule, weekday: string, minute: number): boolean {
  const from = minutesOf(schedule.from);
  const to = minutesOf(schedule.to);
  const today = (WEEKDAYS as readonly string[]).indexOf(weekday);
  const opensOn = (day: number) => schedule.days.some((name) => WEEKDAYS.indexOf(name) === (day + 7) % 7);
  if (from < to) return opensOn(today) && minute >= from && minute < to;
  return (opensOn(today) && minute >= from) || (opensOn(today - 1) && minute < to);
}
