/**
 * Converts calendars between natural units and the wire (Efento proto_rule.proto, ProtoCalendar): positions and days
 * are bits, a time zone is a number of quarter hours. What has no natural form becomes OTHER, as with rules.
 */
import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { type Calendar, DISABLED_CALENDAR, type WeekCalendar } from '../devices/configuration.ts';
import {
  RAW_PARAMETERS_MAX,
  UTC_OFFSET_MAX_MINUTES,
  UTC_OFFSET_STEP_MINUTES,
} from '../devices/configuration-limits.ts';
import { RULE_SLOTS_MAX } from '../devices/device-capabilities.ts';
import {
  type Field,
  hasOnlyBits,
  isWithin,
  readEmbedded,
  readInt32,
  readNumbers,
  readUint32,
  toPositions,
} from './wire-reader.ts';
import { toBitMask, writeEmbedded, writeInt32, writeNumbers, writeUint32 } from './wire-writer.ts';

/** A calendar's fields on the wire, 1 to 3. */
interface WireCalendar {
  mask: number;
  type: number;
  parameters: number[];
}

const CALENDAR_TYPE = { DISABLED: 1, WEEK: 2 } as const;
const WEEK_DAYS = 7;
const DAY_MINUTES = 24 * 60;
const UTC_OFFSET_STEPS_MAX = UTC_OFFSET_MAX_MINUTES / UTC_OFFSET_STEP_MINUTES;
const PARAMETERS = { read: 'sint32', max: RAW_PARAMETERS_MAX } as const;

export function readCalendar(field: Field, reader: BinaryReader): Calendar {
  const entry: WireCalendar = { mask: 0, type: 0, parameters: [] };
  readEmbedded(field, reader, (inner) => {
    if (inner.number === 1) entry.mask = readUint32(inner, reader);
    else if (inner.number === 2) readNumbers(inner, reader, entry.parameters, PARAMETERS);
    else if (inner.number === 3) entry.type = readInt32(inner, reader);
    else return false;
    return true;
  });
  if (entry.type === CALENDAR_TYPE.DISABLED) return DISABLED_CALENDAR;
  return toWeekCalendar(entry) ?? toOtherCalendar(entry);
}

function toWeekCalendar({ mask, type, parameters }: WireCalendar): WeekCalendar | null {
  const [days, from, to, zone] = parameters as [number, number, number, number];
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

const toOtherCalendar = ({ mask, type, parameters }: WireCalendar): Calendar => ({
  type: 'OTHER',
  enableRules: toPositions(mask),
  typeCode: type,
  parameters,
});

export function writeCalendars(
  writer: BinaryWriter,
  field: number,
  calendars: readonly Calendar[] | undefined,
): void {
  for (const calendar of calendars ?? []) {
    const { mask, type, parameters } = toWireCalendar(calendar);
    writeEmbedded(writer, field, () => {
      writeUint32(writer, 1, mask);
      writeNumbers(writer, 2, parameters, 'sint32');
      writeInt32(writer, 3, type);
    });
  }
}

function toWireCalendar(calendar: Calendar): WireCalendar {
  const mask = toBitMask(calendar.enableRules);
  if (calendar.type === 'DISABLED') return { mask, type: CALENDAR_TYPE.DISABLED, parameters: [] };
  if (calendar.type === 'OTHER') return { mask, type: calendar.typeCode, parameters: calendar.parameters };
  const { days, fromTime, toTime, timezone } = calendar;
  return {
    mask,
    type: CALENDAR_TYPE.WEEK,
    parameters: [toBitMask(days), fromTime, toTime, timezone / UTC_OFFSET_STEP_MINUTES],
  };
}
