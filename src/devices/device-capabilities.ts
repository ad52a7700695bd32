/**
 * The capabilities of a device decide how a profile compiles for it: its temperature channels and its number
 * of rules. Devices with the same capabilities share one compiled configuration, so only a handful of
 * configurations is compiled for any number of devices.
 */
import { type Layout, temperatureSlots } from './channel-layout.ts';

/** Number of alarm rules of a logger: 16 from firmware 07.02, 12 before (Efento proto_config_rule.proto). */
export const RULE_SLOTS_MAX = 16;
/** Also assumed while the firmware is unknown. */
export const RULE_SLOTS_DEFAULT = 12;
export type RuleSlots = typeof RULE_SLOTS_DEFAULT | typeof RULE_SLOTS_MAX;

export interface DeviceCapabilities extends Layout {
  ruleSlots: RuleSlots;
}

/** Slots of a device by the number of its rules. */
export const toRuleSlots = (ruleCount: number): RuleSlots =>
  ruleCount > RULE_SLOTS_DEFAULT ? RULE_SLOTS_MAX : RULE_SLOTS_DEFAULT;

const MORE_RULES_SINCE = { major: 7, minor: 2 };

/** By a firmware version such as "07.02"; null for any other text. */
export function parseRuleSlots(softwareVersion: string): RuleSlots | null {
  const [major, minor] = softwareVersion.split('.').map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major + minor)) return null;
  const hasMore =
    major > MORE_RULES_SINCE.major || (major === MORE_RULES_SINCE.major && minor >= MORE_RULES_SINCE.minor);
  return hasMore ? RULE_SLOTS_MAX : RULE_SLOTS_DEFAULT;
}

/**
 * Equal only for capabilities that compile and warn alike. Excludes the model, whose free text would split
 * the fleet.
 */
export function capabilitiesKey(capabilities: DeviceCapabilities): string {
  const slots = temperatureSlots(capabilities);
  return `rules:${capabilities.ruleSlots} temperature:${slots === null ? 'unknown' : slots.join(',')}`;
}
