/**
 * The alarm rules of a logger, evaluated with each sample: thresholds with hysteresis and consecutive samples, logic
 * over other rules with delays, calendars (Efento proto_rule.proto). Conditions that the service never compiles do
 * nothing. Delays are checked only when the device is awake, so an action follows at the first sample after its delay.
 */
import type {
  AlarmRule,
  Calendar,
  LogicRule,
  RuleAction,
  ThresholdRule,
} from '../../src/devices/configuration.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

export interface RuleState {
  isMet: boolean;
  /** Number of consecutive samples that contradict `isMet`. */
  contradicting: number;
  /** The last change of `isMet`. */
  changedAtMs: number;
  /** Whether the action for that change is still to be triggered. */
  isDue: boolean;
  /** The rule has triggered its action while it was met, so its end may trigger one, too. */
  isAnnounced: boolean;
}

export interface RuleOutcome {
  states: RuleState[];
  /** The message that the rules send; the strongest action wins. */
  trigger: 'frame' | 'frame with ack' | null;
}

export interface EvaluatedSample {
  /** By channel, as on the wire: temperatures in tenths; null when the sensor failed. */
  values: ReadonlyArray<number | null>;
  nowMs: number;
  /** Delays take 1/speed of their time. */
  speed: number;
}

const INACTIVE: RuleState = {
  isMet: false,
  contradicting: 0,
  changedAtMs: 0,
  isDue: false,
  isAnnounced: false,
};

export function evaluateRules(
  { alarmRules, calendars }: { alarmRules: readonly AlarmRule[]; calendars: readonly Calendar[] },
  before: readonly RuleState[],
  sample: EvaluatedSample,
): RuleOutcome {
  const states = alarmRules.map((_, position) => before[position] ?? INACTIVE);
  let trigger: RuleOutcome['trigger'] = null;
  // Thresholds first: logic rules combine their results for the same sample.
  const order = [...alarmRules.entries()].sort(([, a], [, b]) => Number(isLogic(a)) - Number(isLogic(b)));
  for (const [position, rule] of order) {
    const state = states[position] as RuleState;
    if (!isRuleOn(calendars, position, sample.nowMs)) {
      states[position] = INACTIVE;
      continue;
    }
    const next = transition(rule, state, states, sample);
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

function transition(
  rule: AlarmRule,
  state: RuleState,
  all: readonly RuleState[],
  sample: EvaluatedSample,
): RuleState {
  const isMet = isLogic(rule)
    ? isLogicMet(rule, all)
    : isThreshold(rule)
      ? isThresholdMet(rule, state.isMet, sample.values)
      : false;
  if (isMet === state.isMet) return state.contradicting === 0 ? state : { ...state, contradicting: 0 };
  const contradicting = state.contradicting + 1;
  if (isThreshold(rule) && contradicting < rule.samples) return { ...state, contradicting };
  const isDue = isMet || (returns(rule) && state.isAnnounced);
  return {
    isMet,
    contradicting: 0,
    changedAtMs: sample.nowMs,
    isDue,
    isAnnounced: !isMet && state.isAnnounced,
  };
}

function isThresholdMet(rule: ThresholdRule, wasMet: boolean, values: EvaluatedSample['values']): boolean {
  const known = rule.slotNumbers.flatMap((slot) => values[slot] ?? []);
  if (known.length === 0) return wasMet;
  const threshold = Math.round(rule.threshold * 10);
  const hysteresis = wasMet ? Math.round(rule.hysteresis * 10) : 0;
  return rule.condition === 'HIGH_THRESHOLD'
    ? known.some((tenths) => tenths > threshold - hysteresis)
    : known.some((tenths) => tenths < threshold + hysteresis);
}

function isLogicMet({ operator, rules, negatedRules }: LogicRule, all: readonly RuleState[]): boolean {
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

function stronger(trigger: RuleOutcome['trigger'], action: RuleAction): RuleOutcome['trigger'] {
  if (action === 'TRIGGER_TRANSMISSION_WITH_ACK') return 'frame with ack';
  return action === 'TRIGGER_TRANSMISSION' ? (trigger ?? 'frame') : trigger;
}

/**
 * A rule in no calendar is always on; a rule in several is on during the windows of any of them (Efento proto_rule.proto,
 * ProtoCalendar).
 */
function isRuleOn(calendars: readonly Calendar[], rule: number, nowMs: number): boolean {
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
