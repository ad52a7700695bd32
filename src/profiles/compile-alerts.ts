/**
 * Compiles alerts to a logger's rules. An alert is one threshold rule per bound, without an action, and one
 * logic rule over them, which transmits: it becomes active with the breach and inactive with the return, and
 * its return delay decides whether the return transmits as well (Efento proto_config_rule.proto,
 * CONDITION_LOGIC_OPERATOR).
 *
 * A breach from one side straight to the other is neither a return nor a second breach. An alert that
 * transmits only on return is the negation, "within all bounds"; a device that starts within them therefore
 * transmits once.
 */
import type { AlertTerms } from '../devices/alert-terms.ts';
import {
  type AlarmRule,
  DISABLED_RULE,
  type LogicRule,
  RULE_SAMPLES_MAX,
  type ThresholdRule,
} from '../devices/configuration.ts';
import { type DeviceCapabilities, slotAt } from '../devices/device-capabilities.ts';
import { enforcedBounds, roundedToTenth, type TemperatureAlert } from './profile.ts';

/**
 * Rules in the order of the alerts, padded with DISABLED to all slots of the device. `intervalSeconds`:
 * between two samples; null: unknown.
 */
export function compileAlerts(
  alerts: TemperatureAlert[],
  capabilities: DeviceCapabilities,
  intervalSeconds: number | null,
): AlarmRule[] {
  const rules: AlarmRule[] = [];
  for (const alert of alerts)
    rules.push(...rulesOf(alert, slotAt(alert.channel, capabilities), rules.length));
  while (rules.length < capabilities.ruleSlots) rules.push(DISABLED_RULE);
  return rulesByInterval(rules, intervalSeconds) ?? rules;
}

/** The rules with the sample counts for their delays at this interval; null when they are right already. */
export function rulesByInterval(rules: AlarmRule[], intervalSeconds: number | null): AlarmRule[] | null {
  const adjusted = rules.map((rule) => withSamples(rule, intervalSeconds));
  return adjusted.some((rule, position) => rule !== rules[position]) ? adjusted : null;
}

/**
 * Changes only rules with a delay: the device counts samples up to its limit, the service the whole delay.
 */
function withSamples(rule: AlarmRule, intervalSeconds: number | null): AlarmRule {
  const delayMinutes = 'terms' in rule ? (rule.terms?.delayMinutes ?? 0) : 0;
  if (delayMinutes === 0 || intervalSeconds === null || !('samples' in rule)) return rule;
  const samples = Math.min(1 + Math.ceil((delayMinutes * 60) / intervalSeconds), RULE_SAMPLES_MAX);
  return samples === rule.samples ? rule : { ...rule, samples };
}

function rulesOf(alert: TemperatureAlert, channel: number, firstPosition: number): AlarmRule[] {
  const thresholds = thresholdRules(alert, channel);
  const positions = thresholds.map((_, index) => firstPosition + index);
  return [...thresholds, ...transmissionRule(alert, positions)];
}

function thresholdRules(alert: TemperatureAlert, channel: number): ThresholdRule[] {
  const { minC, maxC } = enforcedBounds(alert);
  const hysteresis = enforcedHysteresisC(alert);
  const terms = termsOf(alert);
  const rule = (condition: ThresholdRule['condition'], threshold: number): ThresholdRule => ({
    condition,
    slotNumbers: [channel],
    alarmRuleType: 'TEMPERATURE',
    threshold,
    hysteresis,
    mode: 'CONSECUTIVE_SAMPLES',
    samples: 1,
    action: 'NO_ACTION',
    ...(terms && { terms }),
  });
  return [
    ...(maxC === null ? [] : [rule('HIGH_THRESHOLD', maxC)]),
    ...(minC === null ? [] : [rule('LOW_THRESHOLD', minC)]),
  ];
}

/** Null for defaults, so that a profile with default terms compiles like one without terms. */
function termsOf({ delayMinutes = 0, severity = 'critical' }: TemperatureAlert): AlertTerms | null {
  if (delayMinutes === 0 && severity === 'critical') return null;
  return { ...(delayMinutes > 0 && { delayMinutes }), ...(severity !== 'critical' && { severity }) };
}

/** Rounding may bring the bounds closer together than the hysteresis; a return must stay possible. */
function enforcedHysteresisC(alert: TemperatureAlert): number {
  const { minC, maxC } = enforcedBounds(alert);
  const hysteresisC = roundedToTenth(alert.hysteresisC);
  return minC === null || maxC === null ? hysteresisC : Math.min(hysteresisC, roundedToTenth(maxC - minC));
}

function transmissionRule(alert: TemperatureAlert, positions: number[]): LogicRule[] {
  const { type, transmitOnBreach, transmitOnReturn } = alert;
  if (!transmitOnBreach && !transmitOnReturn) return [];
  const isReturnOnly = !transmitOnBreach;
  return [
    {
      condition: 'LOGIC_OPERATOR',
      operator: isReturnOnly && type === 'range' ? 'AND' : 'OR',
      rules: positions,
      negatedRules: isReturnOnly ? positions : [],
      delaySeconds: 0,
      returnDelaySeconds: transmitOnBreach && transmitOnReturn ? 0 : null,
      action: 'TRIGGER_TRANSMISSION',
    },
  ];
}
