/**
 * Converts alarm rules, and the calendars that switch them, between natural units and the wire (Efento proto_rule.proto):
 * temperatures are tenths of a °C, positions and days are bits, a return delay of 864001 s means no action on return, and a
 * time zone is a number of quarter hours.
 *
 * Rules without a natural form (other conditions, modes, measurement types, values out of range, numbers of
 * newer firmware) become OTHER with their raw numbers. The service never compiles an OTHER, so it equals no
 * sent rule, and goes back to a device exactly as it was received. Two things are not kept: the parameters of
 * a disabled rule, which have no meaning, and the channels of a logic rule, which are always those of its
 * rules. Calendars without a natural form become OTHER, too.
 */
import {
  type AlarmRule,
  type Calendar,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  type LogicRule,
  RAW_PARAMETERS_MAX,
  RULE_ACTIONS,
  RULE_DELAY_MAX_SECONDS,
  RULE_SAMPLES_MAX,
  type RuleAction,
  type ThresholdRule,
  UTC_OFFSET_MAX_MINUTES,
  UTC_OFFSET_STEP_MINUTES,
  type WeekCalendar,
} from '../devices/configuration.ts';
import {
  CHANNELS_MAX,
  RULE_SLOTS_MAX,
  TEMPERATURE,
  TEMPERATURE_MAX_C,
  TEMPERATURE_MIN_C,
} from '../devices/device-capabilities.ts';
import { DAY_MINUTES } from '../process/durations.ts';
import type { Calendar as CalendarMessage, Rule } from './generated/logger-messages_pb.ts';
import { atMostEntries, hasOnlyBits, isWithin, toBitMask, toPositions } from './wire-format.ts';

type WireRule = Omit<Rule, '$typeName' | '$unknown'>;

const CONDITION = { DISABLED: 1, HIGH_THRESHOLD: 2, LOW_THRESHOLD: 3, LOGIC_OPERATOR: 6 } as const;
const OPERATORS = ['AND', 'OR'] as const;
const MODE_CONSECUTIVE_SAMPLES = 3;
const NO_ACTION_ON_RETURN = RULE_DELAY_MAX_SECONDS + 1;
const THRESHOLD_MIN = tenths(TEMPERATURE_MIN_C);
const THRESHOLD_MAX = tenths(TEMPERATURE_MAX_C);

export function toRule(entry: WireRule): AlarmRule {
  atMostEntries(entry.parameters, RAW_PARAMETERS_MAX, 'The list of parameters');
  if (entry.condition === CONDITION.DISABLED) return DISABLED_RULE;
  return toThresholdRule(entry) ?? toLogicRule(entry) ?? toOtherRule(entry);
}

function toThresholdRule({
  channelMask: mask,
  condition,
  parameters,
  action,
}: WireRule): ThresholdRule | null {
  if (condition !== CONDITION.HIGH_THRESHOLD && condition !== CONDITION.LOW_THRESHOLD) return null;
  const [threshold, hysteresis, mode, samples, type] = parameters;
  const isNatural =
    parameters.length === 5 &&
    mode === MODE_CONSECUTIVE_SAMPLES &&
    type === TEMPERATURE &&
    isWithin(threshold, THRESHOLD_MIN, THRESHOLD_MAX) &&
    isWithin(hysteresis, 0, THRESHOLD_MAX - THRESHOLD_MIN) &&
    isWithin(samples, 1, RULE_SAMPLES_MAX) &&
    isWithin(action, 1, RULE_ACTIONS.length) &&
    hasOnlyBits(mask, CHANNELS_MAX);
  if (!isNatural) return null;
  return {
    condition: condition === CONDITION.HIGH_THRESHOLD ? 'HIGH_THRESHOLD' : 'LOW_THRESHOLD',
    slotNumbers: toPositions(mask),
    alarmRuleType: 'TEMPERATURE',
    threshold: threshold / 10,
    hysteresis: hysteresis / 10,
    mode: 'CONSECUTIVE_SAMPLES',
    samples,
    action: RULE_ACTIONS[action - 1] as RuleAction,
  };
}

function toLogicRule({ condition, parameters, action }: WireRule): LogicRule | null {
  if (condition !== CONDITION.LOGIC_OPERATOR) return null;
  const [operator, rules, negated, delay, returnDelay] = parameters;
  const isNatural =
    parameters.length === 5 &&
    isWithin(operator, 1, OPERATORS.length) &&
    hasOnlyBits(rules, RULE_SLOTS_MAX) &&
    hasOnlyBits(negated, RULE_SLOTS_MAX) &&
    isWithin(delay, 0, RULE_DELAY_MAX_SECONDS) &&
    isWithin(returnDelay, 0, NO_ACTION_ON_RETURN) &&
    isWithin(action, 1, RULE_ACTIONS.length);
  if (!isNatural) return null;
  return {
    condition: 'LOGIC_OPERATOR',
    operator: OPERATORS[operator - 1] as LogicRule['operator'],
    rules: toPositions(rules),
    negatedRules: toPositions(negated),
    delaySeconds: delay,
    returnDelaySeconds: returnDelay === NO_ACTION_ON_RETURN ? null : returnDelay,
    action: RULE_ACTIONS[action - 1] as RuleAction,
  };
}

const toOtherRule = ({ channelMask: mask, condition, parameters, action }: WireRule): AlarmRule => ({
  condition: 'OTHER',
  slotNumbers: toPositions(mask),
  conditionCode: condition,
  parameters,
  actionCode: action,
});

export function toWireRule(rule: AlarmRule, position: number, all: readonly AlarmRule[]): WireRule {
  if (rule.condition === 'DISABLED') {
    return { channelMask: 0, condition: CONDITION.DISABLED, parameters: [], action: 0 };
  }
  if (rule.condition === 'LOGIC_OPERATOR') return toWireLogicRule(rule, channelMaskOf(position, all));
  if (rule.condition === 'OTHER') {
    const { slotNumbers, conditionCode, parameters, actionCode } = rule;
    return { channelMask: toBitMask(slotNumbers), condition: conditionCode, parameters, action: actionCode };
  }
  return toWireThresholdRule(rule);
}

const toWireLogicRule = (rule: LogicRule, channelMask: number): WireRule => ({
  channelMask,
  condition: CONDITION.LOGIC_OPERATOR,
  parameters: [
    OPERATORS.indexOf(rule.operator) + 1,
    toBitMask(rule.rules),
    toBitMask(rule.negatedRules),
    rule.delaySeconds,
    rule.returnDelaySeconds ?? NO_ACTION_ON_RETURN,
  ],
  action: RULE_ACTIONS.indexOf(rule.action) + 1,
});

const toWireThresholdRule = (rule: ThresholdRule): WireRule => ({
  channelMask: toBitMask(rule.slotNumbers),
  condition: CONDITION[rule.condition],
  parameters: [
    tenths(rule.threshold),
    tenths(rule.hysteresis),
    MODE_CONSECUTIVE_SAMPLES,
    rule.samples,
    TEMPERATURE,
  ],
  action: RULE_ACTIONS.indexOf(rule.action) + 1,
});

/** Adding 0 turns -0, to which a value near 0 rounds, into 0. */
function tenths(celsius: number): number {
  return Math.round(celsius * 10) + 0;
}

/** The channels of the rules that a logic rule combines, which may be logic rules themselves. */
function channelMaskOf(position: number, all: readonly AlarmRule[], seen = new Set<number>()): number {
  const rule = all[position];
  if (!rule || seen.has(position)) return 0;
  seen.add(position);
  if (rule.condition !== 'LOGIC_OPERATOR') return toBitMask(rule.slotNumbers);
  return rule.rules.reduce((mask, each) => mask | channelMaskOf(each, all, seen), 0) >>> 0;
}

type WireCalendar = Omit<CalendarMessage, '$typeName' | '$unknown'>;

const CALENDAR_TYPE = { DISABLED: 1, WEEK: 2 } as const;
const WEEK_DAYS = 7;
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
