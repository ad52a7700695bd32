/** Calendars of a device as a person reads them. */
import { clockText, DAY_MINUTES } from '../process/durations.ts';
import { type Calendar, contradictions } from './configuration.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export function calendarsText(calendars: readonly Calendar[]): string {
  const texts = withWholeDays(calendars).flatMap((calendar) => {
    if (calendar.type !== 'WEEK') return calendar.type === 'OTHER' ? ['another kind of calendar'] : [];
    const { days, fromTime, toTime, timezone } = calendar;
    const names = days.map((day) => DAYS[day]).join(' ');
    return [`${names} ${clockText(fromTime)}–${clockText(toTime || DAY_MINUTES)} (UTC${offset(timezone)})`];
  });
  return texts.join('; ') || 'always';
}

/** Shows a whole day, which is two adjacent calendars, as one window. */
const withWholeDays = (calendars: readonly Calendar[]): Calendar[] =>
  calendars.flatMap((calendar, index) => {
    const [before, next] = [calendars[index - 1], calendars[index + 1]];
    if (next && isRestOfDay(calendar, next)) return [];
    return before && isRestOfDay(before, calendar) ? [{ ...calendar, fromTime: 0 } as Calendar] : [calendar];
  });

function isRestOfDay(before: Calendar, rest: Calendar): boolean {
  if (before.type !== 'WEEK' || rest.type !== 'WEEK' || rest.toTime !== 0) return false;
  const firstPart = { ...rest, fromTime: 0, toTime: rest.fromTime };
  return contradictions({ calendars: [before] }, { calendars: [firstPart] }).length === 0;
}

const offset = (minutes: number) => `${minutes < 0 ? '−' : '+'}${clockText(Math.abs(minutes))}`;
