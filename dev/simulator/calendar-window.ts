/** When a logger's calendars enable a rule (Efento proto_rule.proto, ProtoCalendar). */
import type { Calendar } from '../../src/devices/configuration.ts';

const MINUTE_MS = 60_000;

/** A rule in no calendar is always on; a rule in several is on during the windows of any of them. */
export function isRuleOn(calendars: readonly Calendar[], rule: number, nowMs: number): boolean {
  const naming = calendars.filter(({ enableRules }) => (enableRules as number[]).includes(rule));
  return naming.length === 0 || naming.some((calendar) => isInWindow(calendar, nowMs));
}

function isInWindow(calendar: Calendar, nowMs: number): boolean {
  if (calendar.type !== 'WEEK') return false;
  const { days, fromTime, toTime, timezone } = calendar;
  const local = new Date(nowMs + timezone * MINUTE_MS);
  if (!days.includes(local.getUTCDay())) return false;
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  if (fromTime > toTime) return minute < toTime || minute >= fromTime;
  return minute >= fromTime && minute < toTime;
}
