/**
 * Alarm rules and calendars between natural units and the wire (Efento proto_rule.proto, proto_calendar): °C are
 * tenths, positions are bits, minutes of a time zone are quarters of an hour, no action on return is 864001 s.
 *
 * What has no natural form (other conditions, modes, measurement types, values out of range, numbers of newer
 * firmware) becomes OTHER with its raw numbers. We never compile an OTHER, so it equals nothing that we sent, and it
 * goes back to a device exactly as it came. Two things are not kept: the parameters of a disabled rule or calendar,
 * which mean nothing, and the channels of a logic rule, which are always those of its rules.
 */
import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type AlarmRule,
  type Calendar,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  type LogicRule,
  type RuleAction,
  type ThresholdRule,
  type WeekCalendar,
} from '../devices/configuration.ts';
import { type Field, readEmbedded, readInt32, readNumbers, readUint32 } from './wire-reader.ts';
import { writeEmbedded, writeInt32, writeNumbers, writeUint32 } from './wire-writer.ts';

/** A rule's four fields, a calendar's three: the kind is its condition or its type. */
interface WireEntry {
  mask: number;
  kind: number;
  parameters: number[];
  /** 0 for calendars. */
  action: number;
}

const CONDITION = { DISABLED: 1, HIGH_THRESHOLD: 2, LOW_THRESHOLD: 3, LOGIC_OPERATOR: 6 } as const;
const CALENDAR_TYPE = { DISABLED: 1, WEEK: 2 } as const;
const ACTIONS: readonly RuleAction[] = [
  'TRIGGER_TRANSMISSION',
  'NO_ACTION',
  'TRIGGER_TRANSMISSION_WITH_ACK',
  'FAST_ADVERTISING',
];
const OPERATORS = ['AND', 'OR'] as const;
const MODE_CONSECUTIVE_SAMPLES = 3;
const TYPE_TEMPERATURE = 1;
const NO_ACTION_ON_RETURN = 864_001;
const DELAY_MAX_SECONDS = 864_000;
const CHANNELS = 0x3f;
const RULES = 0xffff;
const DAYS = 0x7f;
const DAY_MINUTES = 24 * 60;
const ZONE_STEP_MINUTES = 15;
/** 18 hours, the widest that a time zone can be off. */
const ZONE_STEPS_MAX = 72;
/** Far more than any condition has. */
const PARAMETERS_MAX = 16;

// Bits and positions.

const maskOf = (positions: readonly number[]) =>
  positions.reduce((mask, position) => mask | (1 << position), 0) >>> 0;

function positionsOf(mask: number): number[] {
  const positions: number[] = [];
  for (let position = 0; position < 32; position++) if ((mask >>> position) & 1) positions.push(position);
  return positions;
}

const isWithin = (value: number | undefined, min: number, max: number) =>
  value !== undefined && value >= min && value <= max;
const hasOnly = (mask: number | undefined, bits: number) => isWithin(mask, 0, bits);

// Rules off the wire.

export function readRule(field: Field, reader: BinaryReader): AlarmRule {
  const entry: WireEntry = { mask: 0, kind: 0, parameters: [], action: 0 };
  readEmbedded(field, reader, (inner) => {
    if (inner.number === 1) entry.mask = readUint32(inner, reader);
    else if (inner.number === 2) entry.kind = readInt32(inner, reader);
    else if (inner.number === 3) readParameters(inner, reader, entry);
    else if (inner.number === 4) entry.action = readInt32(inner, reader);
    else return false;
    return true;
  });
  return ruleOf(entry);
}

const readParameters = (field: Field, reader: BinaryReader, { parameters }: WireEntry) =>
  readNumbers(field, reader, parameters, { read: 'sint32', max: PARAMETERS_MAX });

function ruleOf(entry: WireEntry): AlarmRule {
  if (entry.kind === CONDITION.DISABLED) return DISABLED_RULE;
  return thresholdRuleOf(entry) ?? logicRuleOf(entry) ?? otherRuleOf(entry);
}

function thresholdRuleOf({ mask, kind, parameters, action }: WireEntry): ThresholdRule | null {
  if (kind !== CONDITION.HIGH_THRESHOLD && kind !== CONDITION.LOW_THRESHOLD) return null;
  const [threshold, hysteresis, mode, samples, type] = parameters as [number, number, number, number, number];
  const isNatural =
    parameters.length === 5 &&
    mode === MODE_CONSECUTIVE_SAMPLES &&
    type === TYPE_TEMPERATURE &&
    isWithin(threshold, -2732, 40_000) &&
    isWithin(hysteresis, 0, 42_732) &&
    isWithin(samples, 1, 10) &&
    isWithin(action, 1, ACTIONS.length) &&
    hasOnly(mask, CHANNELS);
  if (!isNatural) return null;
  return {
    condition: kind === CONDITION.HIGH_THRESHOLD ? 'HIGH_THRESHOLD' : 'LOW_THRESHOLD',
    slotNumbers: positionsOf(mask),
    alarmRuleType: 'TEMPERATURE',
    threshold: threshold / 10,
    hysteresis: hysteresis / 10,
    mode: 'CONSECUTIVE_SAMPLES',
    samples,
    action: ACTIONS[action - 1] as RuleAction,
  };
}

function logicRuleOf({ kind, parameters, action }: WireEntry): LogicRule | null {
  if (kind !== CONDITION.LOGIC_OPERATOR) return null;
  const [operator, rules, negated, delay, returnDelay] = parameters as [
    number,
    number,
    number,
    number,
    number,
  ];
  const isNatural =
    parameters.length === 5 &&
    isWithin(operator, 1, OPERATORS.length) &&
    hasOnly(rules, RULES) &&
    hasOnly(negated, RULES) &&
    isWithin(delay, 0, DELAY_MAX_SECONDS) &&
    isWithin(returnDelay, 0, NO_ACTION_ON_RETURN) &&
    isWithin(action, 1, ACTIONS.length);
  if (!isNatural) return null;
  return {
    condition: 'LOGIC_OPERATOR',
    operator: OPERATORS[operator - 1] as LogicRule['operator'],
    rules: positionsOf(rules),
    negatedRules: positionsOf(negated),
    delaySeconds: delay,
    returnDelaySeconds: returnDelay === NO_ACTION_ON_RETURN ? null : returnDelay,
    action: ACTIONS[action - 1] as RuleAction,
  };
}

const otherRuleOf = ({ mask, kind, parameters, action }: WireEntry): AlarmRule => ({
  condition: 'OTHER',
  slotNumbers: positionsOf(mask),
  conditionCode: kind,
  parameters,
  actionCode: action,
});

// Rules onto the wire.

export function writeRules(
  writer: BinaryWriter,
  field: number,
  rules: readonly AlarmRule[] | undefined,
): void {
  rules?.forEach((rule, position) => {
    const { mask, kind, parameters, action } = wireRuleOf(rule, position, rules);
    writeEmbedded(writer, field, () => {
      writeUint32(writer, 1, mask);
      writeInt32(writer, 2, kind);
      writeNumbers(writer, 3, parameters, 'sint32');
      writeInt32(writer, 4, action);
    });
  });
}

function wireRuleOf(rule: AlarmRule, position: number, all: readonly AlarmRule[]): WireEntry {
  switch (rule.condition) {
    case 'DISABLED':
      return { mask: 0, kind: CONDITION.DISABLED, parameters: [], action: 0 };
    case 'LOGIC_OPERATOR':
      return {
        mask: channelsOf(position, all),
        kind: CONDITION.LOGIC_OPERATOR,
        parameters: [
          OPERATORS.indexOf(rule.operator) + 1,
          maskOf(rule.rules),
          maskOf(rule.negatedRules),
          rule.delaySeconds,
          rule.returnDelaySeconds ?? NO_ACTION_ON_RETURN,
        ],
        action: ACTIONS.indexOf(rule.action) + 1,
      };
    case 'OTHER':
      return {
        mask: maskOf(rule.slotNumbers),
        kind: rule.conditionCode,
        parameters: rule.parameters,
        action: rule.actionCode,
      };
    default:
      return {
        mask: maskOf(rule.slotNumbers),
        kind: CONDITION[rule.condition],
        parameters: [
          tenths(rule.threshold),
          tenths(rule.hysteresis),
          MODE_CONSECUTIVE_SAMPLES,
          rule.samples,
          TYPE_TEMPERATURE,
        ],
        action: ACTIONS.indexOf(rule.action) + 1,
      };
  }
}

/** Adding 0 makes of -0, which a value near 0 rounds to, a plain 0. */
const tenths = (celsius: number) => Math.round(celsius * 10) + 0;

/** The channels of the rules that a logic rule looks at, and of those that these look at. */
function channelsOf(position: number, all: readonly AlarmRule[], seen = new Set<number>()): number {
  const rule = all[position];
  if (!rule || seen.has(position)) return 0;
  seen.add(position);
  if (rule.condition !== 'LOGIC_OPERATOR') return maskOf(rule.slotNumbers);
  return rule.rules.reduce((mask, each) => mask | channelsOf(each, all, seen), 0) >>> 0;
}

// Calendars.

export function readCalendar(field: Field, reader: BinaryReader): Calendar {
  const entry: WireEntry = { mask: 0, kind: 0, parameters: [], action: 0 };
  readEmbedded(field, reader, (inner) => {
    if (inner.number === 1) entry.mask = readUint32(inner, reader);
    else if (inner.number === 2) readParameters(inner, reader, entry);
    else if (inner.number === 3) entry.kind = readInt32(inner, reader);
    else return false;
    return true;
  });
  if (entry.kind === CALENDAR_TYPE.DISABLED) return DISABLED_CALENDAR;
  return weekCalendarOf(entry) ?? otherCalendarOf(entry);
}

function weekCalendarOf({ mask, kind, parameters }: WireEntry): WeekCalendar | null {
  const [days, from, to, zone] = parameters as [number, number, number, number];
  const isNatural =
    kind === CALENDAR_TYPE.WEEK &&
    parameters.length === 4 &&
    hasOnly(mask, RULES) &&
    hasOnly(days, DAYS) &&
    isWithin(from, 0, DAY_MINUTES - 1) &&
    isWithin(to, 0, DAY_MINUTES - 1) &&
    isWithin(zone, -ZONE_STEPS_MAX, ZONE_STEPS_MAX);
  if (!isNatural) return null;
  return {
    type: 'WEEK',
    enableRules: positionsOf(mask),
    days: positionsOf(days),
    fromTime: from,
    toTime: to,
    timezone: zone * ZONE_STEP_MINUTES,
  };
}

const otherCalendarOf = ({ mask, kind, parameters }: WireEntry): Calendar => ({
  type: 'OTHER',
  enableRules: positionsOf(mask),
  typeCode: kind,
  parameters,
});

export function writeCalendars(
  writer: BinaryWriter,
  field: number,
  calendars: readonly Calendar[] | undefined,
): void {
  for (const calendar of calendars ?? []) {
    const { mask, kind, parameters } = wireCalendarOf(calendar);
    writeEmbedded(writer, field, () => {
      writeUint32(writer, 1, mask);
      writeNumbers(writer, 2, parameters, 'sint32');
      writeInt32(writer, 3, kind);
    });
  }
}

function wireCalendarOf(calendar: Calendar): Omit<WireEntry, 'action'> {
  const mask = maskOf(calendar.enableRules);
  if (calendar.type === 'DISABLED') return { mask, kind: CALENDAR_TYPE.DISABLED, parameters: [] };
  if (calendar.type === 'OTHER') return { mask, kind: calendar.typeCode, parameters: calendar.parameters };
  const { days, fromTime, toTime, timezone } = calendar;
  return {
    mask,
    kind: CALENDAR_TYPE.WEEK,
    parameters: [maskOf(days), fromTime, toTime, timezone / ZONE_STEP_MINUTES],
  };
}
