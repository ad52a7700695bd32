/** Shared by the examples and the stories about one device's configuration. */
import type { AlarmRule } from '../../src/devices/configuration.ts';

export const START_MS = Date.UTC(2026, 2, 2, 8);
export const COAP_SLACK_MS = 60_000;

export const guard = {
  condition: 'LOW_THRESHOLD',
  slotNumbers: [0, 2],
  alarmRuleType: 'TEMPERATURE',
  threshold: 50,
  hysteresis: 2,
  mode: 'CONSECUTIVE_SAMPLES',
  samples: 1,
  action: 'TRIGGER_TRANSMISSION',
} satisfies AlarmRule;
