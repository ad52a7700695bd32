/**
 * Alarm rules between natural units and the wire (Efento proto_rule.proto): °C are tenths, positions are bits, no
 * action on return is 864001 s.
 *
 * What has no natural form (other conditions, modes, measurement types, values out of range, numbers of newer
 * firmware) becomes OTHER with its raw numbers. We never compile an OTHER, so it equals nothing that we sent, and it
 * goes back to a device exactly as it came. Two things are not kept: the parameters of a disabled rule, which mean
 * nothing, and the channels of a logic rule, which are always those of its rules.
 */
import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type AlarmRule,
  DISABLED_RULE,
  type LogicRule,
  type RuleAction,
  type ThresholdRule,
} from '../devices/configuration.ts';
import { hasOnly, isWithin, maskOf, positionsOf } from './bit-mask.ts';
import { type Field, readEmbedded, readInt32, readNumbers, readUint32 } from './wire-reader.ts';
import { writeEmbedded, writeInt32, writeNumbers, writeUint32 } from './wire-writer.ts';

/** A rule's fields on the wire, 1 to 4. */
interface WireRule {
  mask: number;
  condition: number;
  parameters: number[];
  action: number;
}

const CONDITION = { DISABLED: 1, HIGH_THRESHOLD: 2, LOW_THRESHOLD: 3, LOGIC_OPERATOR: 6 } as const;
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
/** Far more than any condition has. */
const PARAMETERS = { read: 'sint32', max: 16 } as const;

export function readRule(field: Field, reader: BinaryReader): AlarmRule {
  const entry: WireRule = { mask: 0, condition: 0, parameters: [], action: 0 };
  readEmbedded(field, reader, (inner) => {
    if (inner.number === 1) entry.mask = readUint32(inner, reader);
    else if (inner.number === 2) entry.condition = readInt32(inner, reader);
    else if (inner.number === 3) readNumbers(inner, reader, entry.parameters, PARAMETERS);
    else if (inner.number === 4) entry.action = readInt32(inner, reader);
    else return false;
    return true;
  });
  return ruleOf(entry);
}

function ruleOf(entry: WireRule): AlarmRule {
  if (entry.condition === CONDITION.DISABLED) return DISABLED_RULE;
  return thresholdRuleOf(entry) ?? logicRuleOf(entry) ?? otherRuleOf(entry);
}

function thresholdRuleOf({ mask, condition, parameters, action }: WireRule): ThresholdRule | null {
  if (condition !== CONDITION.HIGH_THRESHOLD && condition !== CONDITION.LOW_THRESHOLD) return null;
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
    condition: condition === CONDITION.HIGH_THRESHOLD ? 'HIGH_THRESHOLD' : 'LOW_THRESHOLD',
    slotNumbers: positionsOf(mask),
    alarmRuleType: 'TEMPERATURE',
    threshold: threshold / 10,
    hysteresis: hysteresis / 10,
    mode: 'CONSECUTIVE_SAMPLES',
    samples,
    action: ACTIONS[action - 1] as RuleAction,
  };
}

function logicRuleOf({ condition, parameters, action }: WireRule): LogicRule | null {
  if (condition !== CONDITION.LOGIC_OPERATOR) return null;
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

const otherRuleOf = ({ mask, condition, parameters, action }: WireRule): AlarmRule => ({
  condition: 'OTHER',
  slotNumbers: positionsOf(mask),
  conditionCode: condition,
  parameters,
  actionCode: action,
});

export function writeRules(
  writer: BinaryWriter,
  field: number,
  rules: readonly AlarmRule[] | undefined,
): void {
  rules?.forEach((rule, position) => {
    const { mask, condition, parameters, action } = wireRuleOf(rule, position, rules);
    writeEmbedded(writer, field, () => {
      writeUint32(writer, 1, mask);
      writeInt32(writer, 2, condition);
      writeNumbers(writer, 3, parameters, 'sint32');
      writeInt32(writer, 4, action);
    });
  });
}

function wireRuleOf(rule: AlarmRule, position: number, all: readonly AlarmRule[]): WireRule {
  switch (rule.condition) {
    case 'DISABLED':
      return { mask: 0, condition: CONDITION.DISABLED, parameters: [], action: 0 };
    case 'LOGIC_OPERATOR':
      return {
        mask: channelsOf(position, all),
        condition: CONDITION.LOGIC_OPERATOR,
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
        condition: rule.conditionCode,
        parameters: rule.parameters,
        action: rule.actionCode,
      };
    default:
      return {
        mask: maskOf(rule.slotNumbers),
        condition: CONDITION[rule.condition],
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
