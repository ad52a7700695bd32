/**
 * Compiles alerts to a logger's rules. An alert is one threshold rule per bound, without an action, and one logic rule
 * over them, which transmits: it becomes active with the breach and inactive with the return, and its return delay says
 * whether the latter transmits as well (Efento proto_config_rule.proto, CONDITION_LOGIC_OPERATOR).
 *
 * A breach from one side straight to the other is no return and no second breach. An alert that transmits only on
 * return is the negation, "within all bounds"; a device that starts within them therefore transmits once.
 */
import { slotAt } from '../devices/channel-layout.ts';
import {
  type AlarmRule,
  DISABLED_RULE,
  type LogicRule,
  type ThresholdRule,
} from '../devices/configuration.ts';
import type { DeviceCapabilities } from '../devices/device-capabilities.ts';
import { enforcedBounds, roundedToTenth, type TemperatureAlert } from './profile.ts';

/** Rules in the order of the alerts, filled up with DISABLED to all slots of the device. */
export function compileAlerts(alerts: TemperatureAlert[], capabilities: DeviceCapabilities): AlarmRule[] {
  const rules: AlarmRule[] = [];
  for (const alert of alerts)
    rules.push(...rulesOf(alert, slotAt(alert.channel, capabilities), rules.length));
  while (rules.length < capabilities.ruleSlots) rules.push(DISABLED_RULE);
  return rules;
}

function rulesOf(alert: TemperatureAlert, channel: number, firstPosition: number): AlarmRule[] {
  const thresholds = thresholdRules(alert, channel);
  const positions = thresholds.map((_, index) => firstPosition + index);
  return [...thresholds, ...transmissionRule(alert, positions)];
}

function thresholdRules(alert: TemperatureAlert, channel: number): ThresholdRule[] {
  const { minC, maxC } = enforcedBounds(alert);
  const hysteresis = enforcedHysteresisC(alert);
  const rule = (condition: ThresholdRule['condition'], threshold: number): ThresholdRule => ({
    condition,
    slotNumbers: [channel],
    alarmRuleType: 'TEMPERATURE',
    threshold,
    hysteresis,
    mode: 'CONSECUTIVE_SAMPLES',
    samples: 1,
    action: 'NO_ACTION',
  });
  return [
    ...(maxC === null ? [] : [rule('HIGH_THRESHOLD', maxC)]),
    ...(minC === null ? [] : [rule('LOW_THRESHOLD', minC)]),
  ];
}

/** Rounding may bring the bounds nearer to each other than the hysteresis; from outside there must be a way back. */
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
