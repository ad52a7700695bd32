/**
 * A small interpreter of a device's rules and calendars, written from the protocol's description and not from
 * the compiler.
 */
import type { AlarmRule, Calendar, LogicRule, ThresholdRule } from '../../src/devices/configuration.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

export type Sample = Record<number, number>;
export interface Transmission {
  sample: number;
  rule: number;
}

/** All rules start inactive; temperatures are tenths of a degree by channel. */
export function transmissionsOf(rules: AlarmRule[], samples: Sample[]): Transmission[] {
  const isActive = rules.map(() => false);
  return samples.flatMap((temperatures, sample) => {
    for (const [position, rule] of rules.entries()) {
      if (rule.condition === 'HIGH_THRESHOLD' || rule.condition === 'LOW_THRESHOLD') {
        isActive[position] = thresholdState(rule, isActive[position] ?? false, temperatures);
      }
    }
    return rules.flatMap((rule, position) => {
      if (rule.condition !== 'LOGIC_OPERATOR') return [];
      const before = isActive[position];
      const after = logicState(rule, isActive);
      isActive[position] = after;
      const acts = after ? !before : before && rule.returnDelaySeconds !== null;
      return acts && rule.action === 'TRIGGER_TRANSMISSION' ? [{ sample, rule: position }] : [];
    });
  });
}

function thresholdState(rule: ThresholdRule, wasActive: boolean, temperatures: Sample): boolean {
  const tenths = temperatures[rule.slotNumbers[0] ?? -1] ?? Number.NaN;
  const threshold = Math.round(rule.threshold * 10);
  const hysteresis = wasActive ? Math.round(rule.hysteresis * 10) : 0;
  return rule.condition === 'HIGH_THRESHOLD'
    ? tenths > threshold - hysteresis
    : tenths < threshold + hysteresis;
}

function logicState({ operator, rules, negatedRules }: LogicRule, isActive: boolean[]): boolean {
  const inputs = rules.map((rule) => isActive[rule] !== negatedRules.includes(rule));
  return operator === 'AND' ? inputs.every(Boolean) : inputs.some(Boolean);
}

/** A rule without a calendar is always on; a rule with several is on while any of them has its window. */
export function isRuleOn(calendars: Calendar[], rule: number, at: Date): boolean {
  const naming = calendars.filter(({ enableRules }) => (enableRules as number[]).includes(rule));
  return naming.length === 0 || naming.some((calendar) => isInWindow(calendar, at));
}

export function isInWindow(calendar: Calendar, at: Date): boolean {
  if (calendar.type !== 'WEEK') return false;
  const local = new Date(at.getTime() + calendar.timezone * MINUTE_MS);
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  if (!calendar.days.includes(local.getUTCDay())) return false;
  const { fromTime, toTime } = calendar;
  return fromTime > toTime ? minute < toTime || minute >= fromTime : minute >= fromTime && minute < toTime;
}
