/**
 * A logger's own rules, run over its samples: thresholds with hysteresis and consecutive samples, logic over other
 * rules with delays, calendars (Efento proto_rule.proto). Conditions that the service never compiles do nothing.
 *
 * Delays are looked at when the device is awake, so an action comes at the first sample after its delay.
 */
import type {
  AlarmRule,
  Calendar,
  LogicRule,
  RuleAction,
  ThresholdRule,
} from '../../src/devices/configuration.ts';
import { isRuleOn } from './calendar-window.ts';

export interface RuleState {
  isMet: boolean;
  /** Samples in a row that speak against `isMet`. */
  against: number;
  /** When `isMet` changed last. */
  changedAtMs: number;
  /** The action for that change is still to come. */
  isDue: boolean;
  /** That it was met has led to the rule's action, so that its return may, too. */
  isAnnounced: boolean;
}

export interface Judgement {
  states: RuleState[];
  /** What the rules want sent; the stronger wish wins. */
  trigger: 'frame' | 'frame with ack' | null;
}

export interface JudgedSample {
  /** By channel, as on the wire: temperatures in tenths; null where the sensor failed. */
  values: ReadonlyArray<number | null>;
  nowMs: number;
  /** A delay of a second takes 1/speed of it. */
  speed: number;
}

const AT_REST: RuleState = { isMet: false, against: 0, changedAtMs: 0, isDue: false, isAnnounced: false };

export function judge(
  { alarmRules, calendars }: { alarmRules: readonly AlarmRule[]; calendars: readonly Calendar[] },
  before: readonly RuleState[],
  sample: JudgedSample,
): Judgement {
  const states = alarmRules.map((_, position) => before[position] ?? AT_REST);
  let trigger: Judgement['trigger'] = null;
  // Logic after what it looks at, so that a sample is judged whole.
  const order = [...alarmRules.entries()].sort(([, a], [, b]) => Number(isLogic(a)) - Number(isLogic(b)));
  for (const [position, rule] of order) {
    const state = states[position] as RuleState;
    if (!isRuleOn(calendars, position, sample.nowMs)) {
      states[position] = AT_REST;
      continue;
    }
    const next = moved(rule, state, states, sample);
    const isAct =
      next.isDue && sample.nowMs - next.changedAtMs >= (delaySeconds(rule, next) * 1000) / sample.speed;
    states[position] = isAct ? { ...next, isDue: false, isAnnounced: next.isMet } : next;
    if (isAct) trigger = stronger(trigger, actionOf(rule));
  }
  return { states, trigger };
}

/** Bits 8 to 19 of a frame's transfer reason. */
export const metMask = (states: readonly RuleState[]) =>
  states.slice(0, 12).reduce((mask, { isMet }, position) => (isMet ? mask | (1 << position) : mask), 0);

const isLogic = (rule: AlarmRule): rule is LogicRule => rule.condition === 'LOGIC_OPERATOR';
const isThreshold = (rule: AlarmRule): rule is ThresholdRule =>
  rule.condition === 'HIGH_THRESHOLD' || rule.condition === 'LOW_THRESHOLD';

function moved(
  rule: AlarmRule,
  state: RuleState,
  all: readonly RuleState[],
  sample: JudgedSample,
): RuleState {
  const isMet = isLogic(rule)
    ? logicSays(rule, all)
    : isThreshold(rule)
      ? thresholdSays(rule, state.isMet, sample.values)
      : false;
  if (isMet === state.isMet) return state.against === 0 ? state : { ...state, against: 0 };
  const against = state.against + 1;
  if (isThreshold(rule) && against < rule.samples) return { ...state, against };
  const isDue = isMet || (returns(rule) && state.isAnnounced);
  return { isMet, against: 0, changedAtMs: sample.nowMs, isDue, isAnnounced: !isMet && state.isAnnounced };
}

function thresholdSays(rule: ThresholdRule, wasMet: boolean, values: JudgedSample['values']): boolean {
  const known = rule.slotNumbers.flatMap((slot) => values[slot] ?? []);
  if (known.length === 0) return wasMet;
  const threshold = Math.round(rule.threshold * 10);
  const hysteresis = wasMet ? Math.round(rule.hysteresis * 10) : 0;
  return rule.condition === 'HIGH_THRESHOLD'
    ? known.some((tenths) => tenths > threshold - hysteresis)
    : known.some((tenths) => tenths < threshold + hysteresis);
}

function logicSays({ operator, rules, negatedRules }: LogicRule, all: readonly RuleState[]): boolean {
  const inputs = rules.map((rule) => (all[rule]?.isMet ?? false) !== negatedRules.includes(rule));
  return operator === 'AND' ? inputs.length > 0 && inputs.every(Boolean) : inputs.some(Boolean);
}

const returns = (rule: AlarmRule) => !isLogic(rule) || rule.returnDelaySeconds !== null;

function delaySeconds(rule: AlarmRule, { isMet }: RuleState): number {
  if (!isLogic(rule)) return 0;
  return isMet ? rule.delaySeconds : (rule.returnDelaySeconds ?? 0);
}

function actionOf(rule: AlarmRule): RuleAction {
  return rule.condition === 'OTHER' ? 'NO_ACTION' : rule.action;
}

function stronger(trigger: Judgement['trigger'], action: RuleAction): Judgement['trigger'] {
  if (action === 'TRIGGER_TRANSMISSION_WITH_ACK') return 'frame with ack';
  return action === 'TRIGGER_TRANSMISSION' ? (trigger ?? 'frame') : trigger;
}
