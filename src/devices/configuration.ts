/**
 * The configuration of a logger in natural units (seconds, °C, minutes), as compiled from profiles, pending
 * for a device, and reported by it. Only the wire codec multiplies.
 *
 * A configuration is partial: an absent key says nothing about the device. Keys merge and compare as a whole,
 * because a logger always receives and sends its full list of rules and of calendars.
 */
import { createHash } from 'node:crypto';
import type { AlertTerms } from './alert-terms.ts';

/**
 * Limits of a logger's configuration (Efento proto_config.proto, proto_rule.proto). The number of its rules
 * is in `device-capabilities.ts`, because devices differ in it.
 */
export const CALENDARS_MAX = 6;

/** Seconds of the measurement period, and its factor. */
export const MEASUREMENT_PERIOD_MAX = 65_535;
/** Longer periods of measurement, 68 years and more, count as this one, because columns hold 32 bits. */
const INTERVAL_MAX_SECONDS = 2 ** 31 - 1;
export const TRANSMISSION_MIN_SECONDS = 60;
export const TRANSMISSION_MAX_SECONDS = 604_800;

export const RULE_SAMPLES_MAX = 10;
export const RULE_DELAY_MAX_SECONDS = 864_000;
/** Parameters of a rule or calendar without a natural form: far more than any condition has. */
export const RAW_PARAMETERS_MAX = 16;

/** A calendar's distance from UTC. */
export const UTC_OFFSET_STEP_MINUTES = 15;
export const UTC_OFFSET_MAX_MINUTES = 18 * 60;

/**
 * A sample holds until the next one of its channel, for this many measurement intervals at most; a gap
 * follows.
 */
export const INTERVALS_HELD = 2;

/** In the order of their numbers on the wire, which begin with 1 (Efento proto_rule.proto). */
export const RULE_ACTIONS = [
  'TRIGGER_TRANSMISSION',
  'NO_ACTION',
  'TRIGGER_TRANSMISSION_WITH_ACK',
  'FAST_ADVERTISING',
] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

export interface ThresholdRule {
  condition: 'HIGH_THRESHOLD' | 'LOW_THRESHOLD';
  /** Channels, counted from 0. */
  slotNumbers: number[];
  alarmRuleType: 'TEMPERATURE';
  /** °C, steps of 0.1. */
  threshold: number;
  /** °C, steps of 0.1; 0 = off. */
  hysteresis: number;
  mode: 'CONSECUTIVE_SAMPLES';
  samples: number;
  action: RuleAction;
  /** Set on all thresholds of an alert with terms. */
  terms?: AlertTerms;
}

export interface LogicRule {
  condition: 'LOGIC_OPERATOR';
  operator: 'AND' | 'OR';
  /** Positions of the combined rules, counted from 0. */
  rules: number[];
  negatedRules: number[];
  delaySeconds: number;
  /** Null: no action on return. */
  returnDelaySeconds: number | null;
  action: RuleAction;
}

interface DisabledRule {
  condition: 'DISABLED';
  slotNumbers: [];
  action: 'NO_ACTION';
}

/**
 * A rule without a natural form here, which was not set by the service. It is shown, and sent back unchanged.
 */
interface OtherRule {
  condition: 'OTHER';
  /** Channels, counted from 0, as in the mask: up to 32. */
  slotNumbers: number[];
  /** Efento proto_rule.proto, fields 2 to 4 as on the wire; the order of `parameters` matters. */
  conditionCode: number;
  parameters: number[];
  actionCode: number;
}

export type AlarmRule = ThresholdRule | LogicRule | DisabledRule | OtherRule;

export interface WeekCalendar {
  type: 'WEEK';
  /** Positions of the rules that are on only within this window, counted from 0. */
  enableRules: number[];
  /** 0: Sunday. */
  days: number[];
  /** Minutes after midnight, 0 to 1439. */
  fromTime: number;
  /** 0 to 1440; from > to means two windows on the same day: until toTime, and from fromTime. */
  toTime: number;
  /** Minutes from UTC, a multiple of 15; fixed, because the device knows no daylight saving. */
  timezone: number;
}

interface DisabledCalendar {
  type: 'DISABLED';
  enableRules: [];
}

/** A calendar without a natural form here, which was not set by the service. */
interface OtherCalendar {
  type: 'OTHER';
  /** Positions as in the mask: up to 32. */
  enableRules: number[];
  /** Efento proto_rule.proto, ProtoCalendar, fields 3 and 2 as on the wire. */
  typeCode: number;
  parameters: number[];
}

export type Calendar = WeekCalendar | DisabledCalendar | OtherCalendar;

export interface DeviceConfiguration {
  /** Seconds; the measurement interval is base × factor. */
  measurementPeriodBase?: number;
  measurementPeriodFactor?: number;
  /** Seconds. */
  transmissionInterval?: number;
  /** The position is the number of the rule. */
  alarmRules?: AlarmRule[];
  calendars?: Calendar[];
}

export type ConfigurationKey = keyof DeviceConfiguration;

/**
 * A record, so that a missing key does not compile: equal content addresses must mean equal configurations.
 */
const EVERY_KEY: Record<ConfigurationKey, true> = {
  measurementPeriodBase: true,
  measurementPeriodFactor: true,
  transmissionInterval: true,
  alarmRules: true,
  calendars: true,
};
/** In the order of the canonical text. */
export const CONFIGURATION_KEYS = Object.keys(EVERY_KEY) as readonly ConfigurationKey[];

export const DISABLED_RULE: DisabledRule = { condition: 'DISABLED', slotNumbers: [], action: 'NO_ACTION' };
export const DISABLED_CALENDAR: DisabledCalendar = { type: 'DISABLED', enableRules: [] };

export function keysOf(config: DeviceConfiguration): ConfigurationKey[] {
  return CONFIGURATION_KEYS.filter((key) => config[key] !== undefined);
}

export function intervalsOf({
  measurementPeriodBase,
  measurementPeriodFactor,
  transmissionInterval,
}: DeviceConfiguration): DeviceConfiguration {
  return {
    ...(measurementPeriodBase !== undefined && { measurementPeriodBase }),
    ...(measurementPeriodFactor !== undefined && { measurementPeriodFactor }),
    ...(transmissionInterval !== undefined && { transmissionInterval }),
  };
}

/** The base with every key of the change replaced. */
export function merged(base: DeviceConfiguration | null, change: DeviceConfiguration): DeviceConfiguration {
  return { ...base, ...change };
}

/** The configuration as a device holds it. */
export function withoutTerms(config: DeviceConfiguration): DeviceConfiguration {
  return config.alarmRules ? { ...config, alarmRules: config.alarmRules.map(withoutOwnTerms) } : config;
}

function withoutOwnTerms(rule: AlarmRule): AlarmRule {
  if (!('terms' in rule)) return rule;
  const { terms, ...onDevice } = rule;
  return onDevice;
}

/**
 * The configuration of a device by its report, over its known configuration. Rules that match the compiled
 * ones keep their terms; rules changed on site have none.
 */
export function mergedReport(known: DeviceConfiguration, reported: DeviceConfiguration): DeviceConfiguration {
  const { alarmRules } = known;
  const isAsCompiled = alarmRules && reported.alarmRules && includes(reported, withoutTerms({ alarmRules }));
  return merged(known, isAsCompiled ? { ...reported, alarmRules } : reported);
}

/** The configuration without the given keys; null when nothing is left. */
export function without(
  config: DeviceConfiguration,
  keys: readonly ConfigurationKey[],
): DeviceConfiguration | null {
  const rest = Object.fromEntries(
    keysOf(config)
      .filter((key) => !keys.includes(key))
      .map((key) => [key, config[key]]),
  );
  return Object.keys(rest).length > 0 ? (rest as DeviceConfiguration) : null;
}

/** The keys that both have with different values. */
export function contradictions(a: DeviceConfiguration, b: DeviceConfiguration): ConfigurationKey[] {
  return keysOf(a).filter((key) => b[key] !== undefined && !sameValue(a[key], b[key]));
}

/** Whether `config` has every key of `part` with an equal value. */
export function includes(config: DeviceConfiguration, part: DeviceConfiguration): boolean {
  return keysOf(part).every((key) => config[key] !== undefined && sameValue(config[key], part[key]));
}

/** Each offset from UTC, in minutes, is replaced by that of the function. */
export const withOffsets = (
  config: DeviceConfiguration,
  offsetFor: (minutes: number) => number,
): DeviceConfiguration =>
  config.calendars
    ? {
        ...config,
        calendars: config.calendars.map((each) =>
          each.type === 'WEEK' ? { ...each, timezone: offsetFor(each.timezone) } : each,
        ),
      }
    : config;

/** The keys that decide which alerts a device raises: an absent list equals one of DISABLED entries. */
export const alertRulesOf = (config: DeviceConfiguration | null): DeviceConfiguration => ({
  alarmRules: config?.alarmRules ?? [],
  calendars: config?.calendars ?? [],
});

/** Whether both raise the same alerts: offsets from UTC do not count. */
export function hasSameAlertRules(a: DeviceConfiguration | null, b: DeviceConfiguration | null): boolean {
  const alertRules = (config: DeviceConfiguration | null) => withOffsets(alertRulesOf(config), () => 0);
  return contradictions(alertRules(a), alertRules(b)).length === 0;
}

/** One text per content, for any order of keys and of sets; the content address is its hash. */
export function canonicalText(config: DeviceConfiguration): string {
  return JSON.stringify(Object.fromEntries(keysOf(config).map((key) => [key, canonical(config[key])])));
}

/** DISABLED entries at the end of a list are the device's default, and make no difference. */
const sameValue = (a: unknown, b: unknown) =>
  JSON.stringify(canonical(trimDisabled(a))) === JSON.stringify(canonical(trimDisabled(b)));

function trimDisabled(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.slice(0, value.findLastIndex((entry) => !isDisabled(entry)) + 1);
}

const isDisabled = (entry: AlarmRule | Calendar) =>
  'condition' in entry ? entry.condition === 'DISABLED' : entry.type === 'DISABLED';

const canonical = (value: unknown) => (Array.isArray(value) ? value.map(canonicalEntry) : value);

function canonicalEntry(entry: object): object {
  const sorted = Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, value]) => [key, isSet(key, value) ? [...value].sort((a, b) => a - b) : value]),
  );
}

const isSet = (key: string, value: unknown): value is number[] =>
  Array.isArray(value) && key !== 'parameters';

/** Seconds between two samples; null if the configuration does not set them. */
export function measurementIntervalSeconds({
  measurementPeriodBase,
  measurementPeriodFactor = 1,
}: DeviceConfiguration): number | null {
  return measurementPeriodBase ? intervalSeconds(measurementPeriodBase, measurementPeriodFactor) : null;
}

export const intervalSeconds = (base: number, factor: number): number =>
  Math.min(base * factor, INTERVAL_MAX_SECONDS);

/**
 * The content address of a configuration within its organization: a UUIDv8 (RFC 9562, section 5.8) of a SHA-256, so
 * the id follows from the content without asking the database.
 */
export function configurationId(organizationId: string, config: DeviceConfiguration): string {
  const digest = createHash('sha256')
    .update(organizationId)
    .update('\n')
    .update(canonicalText(config))
    .digest();
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Contents by configuration id. */
export type ConfigurationContents = ReadonlyMap<string, DeviceConfiguration>;

/** Rows only refer to stored configurations, so a missing one is a fault and not an absent setting. */
export function contentOf(contents: ConfigurationContents, id: string): DeviceConfiguration {
  const config = contents.get(id);
  if (!config) throw new Error(`configuration ${id} is not there`);
  return config;
}
