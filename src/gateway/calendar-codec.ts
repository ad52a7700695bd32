/**
 * Converts calendars between natural units and the wire (Efento proto_rule.proto, ProtoCalendar): positions
 * and days are bits, a time zone is a number of quarter hours. Calendars without a natural form become OTHER,
 * as with rules.
 */
import {
  type Calendar,
  DISABLED_CALENDAR,
  RAW_PARAMETERS_MAX,
  UTC_OFFSET_MAX_MINUTES,
  UTC_OFFSET_STEP_MINUTES,
  type WeekCalendar,
} from '../devices/configuration.ts';
import { RULE_SLOTS_MAX } from '../devices/device-capabilities.ts';
import type { Calendar as CalendarMessage } from './generated/logger-messages_pb.ts';
import { atMostEntries, hasOnlyBits, isWithin, toBitMask, toPositions } from './wire-format.ts';

type WireCalendar = Omit<CalendarMessage, '$typeName' | '$unknown'>;

const CALENDAR_TYPE = { DISABLED: 1, WEEK: 2 } as const;
const WEEK_DAYS = 7;
const DAY_MINUTES = 24 * 60;
const UTC_OFFSET_STEPS_MAX = UTC_OFFSET_MAX_MINUTES / UTC_OFFSET_STEP_MINUTES;

export function toCalendar(entry: WireCalendar): Calendar {
  atMostEntries(entry.parameters, RAW_PARAMETERS_MAX, 'The list of parameters');
  if (entry.type === CALENDAR_TYPE.DISABLED) return DISABLED_CALENDAR;
  return toWeekCalendar(entry) ?? toOtherCalendar(entry);
}

function toWeekCalendar({ ruleMask: mask, type, parameters }: WireCalendar): WeekCalendar | null {
  const [days, from, to, zone] = parameters;
  const isNatural =
    type === CALENDAR_TYPE.WEEK &&
    parameters.length === 4 &&
    hasOnlyBits(mask, RULE_SLOTS_MAX) &&
    hasOnlyBits(days, WEEK_DAYS) &&
    isWithin(from, 0, DAY_MINUTES - 1) &&
    isWithin(to, 0, DAY_MINUTES) &&
    isWithin(zone, -UTC_OFFSET_STEPS_MAX, UTC_OFFSET_STEPS_MAX);
  if (!isNatural) return null;
  return {
    type: 'WEEK',
    enableRules: toPositions(mask),
    days: toPositions(days),
    fromTime: from,
    toTime: to,
    timezone: zone * UTC_OFFSET_STEP_MINUTES,
  };
}

const toOtherCalendar = ({ ruleMask: mask, type, parameters }: WireCalendar): Calendar => ({
  type: 'OTHER',
  enableRules: toPositions(mask),
  typeCode: type,
  parameters,
});

export function toWireCalendar(calendar: Calendar): WireCalendar {
  const ruleMask = toBitMask(calendar.enableRules);
  if (calendar.type === 'DISABLED') return { ruleMask, type: CALENDAR_TYPE.DISABLED, parameters: [] };
  if (calendar.type === 'OTHER')
    return { ruleMask, type: calendar.typeCode, parameters: calendar.parameters };
  const { days, fromTime, toTime, timezone } = calendar;
  return {
    ruleMask,
    type: CALENDAR_TYPE.WEEK,
    parameters: [toBitMask(days), fromTime, toTime, timezone / UTC_OFFSET_STEP_MINUTES],
  };
}
