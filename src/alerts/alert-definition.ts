/**
 * The alerts that are defined for a device, read from its configuration: the service evaluates readings by
 * the same rules and windows as the device itself, and devices that share a configuration share the
 * definitions.
 */
import type { Severity } from '../devices/alert-terms.ts';
import type {
  AlarmRule,
  Calendar,
  DeviceConfiguration,
  LogicRule,
  ThresholdRule,
  WeekCalendar,
} from '../devices/configuration.ts';
import { DAY_MINUTES, DAY_MS, MINUTE_MS, plusMinutes } from '../process/durations.ts';

export interface Bounds {
  /** °C; null: no lower bound. */
  lowC: number | null;
  highC: number | null;
  hysteresisC: number;
}

export interface AlertDefinition {
  /** Position of its first rule on the device; with the channel it is unique within the configuration. */
  rule: number;
  /** 1..6 */
  channel: number;
  bounds: Bounds;
  /** When the definition is active; null: always. */
  windows: WeekCalendar[] | null;
  /**
   * How long a breach lasts before the alert opens, by the times of readings; 0: the first reading opens it.
   */
  delayMinutes: number;
  severity: Severity;
}

const cache = new WeakMap<DeviceConfiguration, AlertDefinition[]>();

/** Computed once per configuration, because configurations never change. */
export function definitionsOf(config: DeviceConfiguration): AlertDefinition[] {
  const cached = cache.get(config);
  if (cached) return cached;
  const definitions = readDefinitions(config.alarmRules ?? [], config.calendars ?? []);
  cache.set(config, definitions);
  return definitions;
}

interface PositionedRule {
  rule: ThresholdRule;
  position: number;
}

function readDefinitions(rules: AlarmRule[], calendars: Calendar[]): AlertDefinition[] {
  const thresholds = rules.flatMap((rule, position) => (isThreshold(rule) ? [{ rule, position }] : []));
  const groups = groupsOf(thresholds, rules.filter(isLogic));
  return groups.flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const windows = windowsOf(
      group.map(({ position }) => position),
      calendars,
    );
    return first.rule.slotNumbers.map((slot) => ({
      rule: first.position,
      channel: slot + 1,
      bounds: boundsOf(group.map(({ rule }) => rule)),
      windows,
      delayMinutes: first.rule.terms?.delayMinutes ?? 0,
      severity: first.rule.terms?.severity ?? 'critical',
    }));
  });
}

const isThreshold = (rule: AlarmRule): rule is ThresholdRule =>
  rule.condition === 'HIGH_THRESHOLD' || rule.condition === 'LOW_THRESHOLD';
const isLogic = (rule: AlarmRule): rule is LogicRule => rule.condition === 'LOGIC_OPERATOR';

/**
 * A logic rule joins thresholds to a group. Without one, a high bound followed directly by a low bound is a
 * range.
 */
function groupsOf(thresholds: PositionedRule[], logic: LogicRule[]): PositionedRule[][] {
  const joined = logic.map(({ rules }) => thresholds.filter(({ position }) => rules.includes(position)));
  const isJoined = new Set(joined.flat());
  const groups = joined.filter(isOneRange);
  for (const group of joined) if (!isOneRange(group)) groups.push(...group.map((rule) => [rule]));
  for (const rule of thresholds) {
    if (isJoined.has(rule)) continue;
    const before = groups.find(
      ([first]) => first && !isJoined.has(first) && first.position === rule.position - 1,
    );
    if (before && isOneRange([...before, rule])) before.push(rule);
    else groups.push([rule]);
  }
  return groups.toSorted(([a], [b]) => (a?.position ?? 0) - (b?.position ?? 0));
}

/**
 * One bound, or a high and a low one of the same channels; rounded to the steps of the device, the two may be
 * equal.
 */
function isOneRange(group: PositionedRule[]): boolean {
  const [first, second, ...more] = group.map(({ rule }) => rule);
  if (!first || more.length > 0) return false;
  if (!second) return true;
  return (
    first.condition === 'HIGH_THRESHOLD' &&
    second.condition === 'LOW_THRESHOLD' &&
    first.hysteresis === second.hysteresis &&
    first.threshold >= second.threshold &&
    first.slotNumbers.join() === second.slotNumbers.join() &&
    first.terms?.delayMinutes === second.terms?.delayMinutes &&
    first.terms?.severity === second.terms?.severity
  );
}

function boundsOf(rules: ThresholdRule[]): Bounds {
  const threshold = (condition: ThresholdRule['condition']) =>
    rules.find((rule) => rule.condition === condition)?.threshold ?? null;
  return {
    lowC: threshold('LOW_THRESHOLD'),
    highC: threshold('HIGH_THRESHOLD'),
    hysteresisC: rules[0]?.hysteresis ?? 0,
  };
}

/** A rule without a calendar is always active. */
function windowsOf(positions: number[], calendars: Calendar[]): WeekCalendar[] | null {
  const windows = calendars.filter(
    (calendar): calendar is WeekCalendar =>
      calendar.type === 'WEEK' && positions.some((position) => calendar.enableRules.includes(position)),
  );
  return windows.length > 0 ? windows : null;
}

/** The minute at which a window ends is outside the window. */
export function isActiveAt({ windows }: AlertDefinition, at: Date): boolean {
  return windows === null || windows.some((window) => isWithin(window, at));
}

/**
 * fromTime > toTime means two windows on the same day: until toTime, and from fromTime (Efento,
 * CALENDAR_TYPE_WEEK).
 */
function isWithin({ days, fromTime, toTime, timezone }: WeekCalendar, at: Date): boolean {
  const local = plusMinutes(at, timezone);
  if (!days.includes(local.getUTCDay())) return false;
  const minute = Math.floor(local.getTime() / MINUTE_MS) % DAY_MINUTES;
  if (fromTime > toTime) return minute < toTime || minute >= fromTime;
  return minute >= fromTime && minute < toTime;
}

/**
 * Whether the definition is active all the time between two moments at which it is active; checks each time
 * at which that may change.
 */
export function isActiveBetween(definition: AlertDefinition, from: Date, to: Date): boolean {
  const changes = (definition.windows ?? []).flatMap((window) => timesOfChange(window, from));
  return changes.every(
    (ms) => ms <= from.getTime() || ms >= to.getTime() || isActiveAt(definition, new Date(ms)),
  );
}

/** Times in Unix milliseconds at which a weekly window opens or closes, within one week. */
function timesOfChange({ fromTime, toTime, timezone }: WeekCalendar, from: Date): number[] {
  const midnight =
    Math.floor((from.getTime() + timezone * MINUTE_MS) / DAY_MS) * DAY_MS - timezone * MINUTE_MS;
  const days = Array.from({ length: 8 }, (_, day) => midnight + day * DAY_MS);
  return days.flatMap((day) => [0, fromTime, toTime].map((minute) => day + minute * MINUTE_MS));
}
