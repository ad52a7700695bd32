/**
 * Compiles a schedule to a logger's calendars. A calendar switches the rules it names on within one window of
 * local time on the days of its mask; outside they are off. Its time zone is a fixed offset, so a schedule
 * must be compiled again when the zone changes to or from summer time.
 *
 * A window over midnight. The customer's "Friday 22:00 to 06:00" is the night from Friday to Saturday. The
 * device reads from > to on one day's mask as two windows of that same day, 00:00 to 06:00 and 22:00 to the
 * end of Friday (Efento proto_config_rule.proto, CALENDAR_TYPE_WEEK): its rules would be on in the wrong
 * morning and off on Saturday. So such a window needs two calendars: the evening on the days themselves, the
 * morning on the days after. The evening is written as from 22:00 to 00:00, which is from > to with nothing
 * before `to`, because an end at 23:59 would lose the last minute. On all seven days both readings are the
 * same, and one calendar is enough.
 *
 * The end of a day. "24:00" is that midnight as well. The source gives no range for the end of a window and
 * names 23:59 as the last minute: a device may refuse 1440. So a whole day is two calendars that meet at
 * noon, and whole days throughout the week need none, because rules without a calendar are always on.
 *
 * An assumption, on which the source says nothing: a rule with several calendars is on while any of them has
 * its window. Otherwise two calendars for two days could never be of use.
 */
import {
  CALENDARS_MAX,
  type Calendar,
  DISABLED_CALENDAR,
  UTC_OFFSET_STEP_MINUTES,
  type WeekCalendar,
} from '../devices/configuration.ts';
import { DAY_MINUTES, DAY_MS, minutesAfterMidnight } from '../process/durations.ts';
import { type Schedule, WEEKDAYS, type WeekSchedule } from './profile.ts';
import { utcOffsetMinutes } from './time-zone.ts';

const DAYS_IN_WEEK = 7;
const MIDNIGHT = 0;
const NOON = DAY_MINUTES / 2;

/** The device's full list; all DISABLED when the schedule is always or no rule is in use. */
export function compileCalendars(schedule: Schedule, enableRules: number[], at: Date): Calendar[] {
  const calendars: Calendar[] = [];
  if (!schedule.always && enableRules.length > 0) {
    const timezone = deviceTimezoneMinutes(schedule.timezone, at);
    calendars.push(...weekWindows(schedule).map((each) => ({ ...each, enableRules, timezone })));
  }
  while (calendars.length < CALENDARS_MAX) calendars.push(DISABLED_CALENDAR);
  return calendars;
}

type WeekWindow = Omit<WeekCalendar, 'enableRules' | 'timezone'>;

function weekWindows({ days: names, from, to }: WeekSchedule): WeekWindow[] {
  const days = sorted(names.map((name) => WEEKDAYS.indexOf(name)));
  const fromTime = minutesAfterMidnight(from);
  const toTime = minutesAfterMidnight(to) % DAY_MINUTES;
  if (fromTime === toTime) return wholeDays(days);
  const isWithinTheDays = fromTime < toTime || toTime === MIDNIGHT || days.length === DAYS_IN_WEEK;
  if (isWithinTheDays) return [{ type: 'WEEK', days, fromTime, toTime }];
  const nextDays = sorted(days.map((day) => (day + 1) % DAYS_IN_WEEK));
  return [
    { type: 'WEEK', days, fromTime, toTime: MIDNIGHT },
    { type: 'WEEK', days: nextDays, fromTime: MIDNIGHT, toTime },
  ];
}

/** Two equal times mean the whole day, from 00:00 to 24:00. */
function wholeDays(days: number[]): WeekWindow[] {
  if (days.length === DAYS_IN_WEEK) return [];
  return [
    { type: 'WEEK', days, fromTime: MIDNIGHT, toTime: NOON },
    { type: 'WEEK', days, fromTime: NOON, toTime: MIDNIGHT },
  ];
}

const sorted = (days: number[]) => days.toSorted((a, b) => a - b);

const HALF_YEAR_MS = 182 * DAY_MS;

/** The calendar's offsets in summer and in winter, that of the moment first. */
export const offsetsOfYear = (timezone: string, at: Date): number[] =>
  [0, HALF_YEAR_MS].map((ms) => deviceTimezoneMinutes(timezone, new Date(at.getTime() + ms)));

/** The calendar's offset for the zone at this moment: minutes from UTC, in steps of 15. */
export function deviceTimezoneMinutes(timezone: string, at: Date): number {
  return Math.round(utcOffsetMinutes(timezone, at) / UTC_OFFSET_STEP_MINUTES) * UTC_OFFSET_STEP_MINUTES;
}
