/**
 * Opening and closing of temperature alerts by readings: a pure state machine per device. A definition has at
 * most one open alert. A reading beyond the other bound closes it and opens another; a reading that is back
 * inside the bound that the alert opened at, by the hysteresis, closes it; any other reading leaves it as it
 * is. The other bound does not matter for a return, as on the device, where each bound is a rule with its own
 * hysteresis. A reading outside the windows of the definition closes the alert whatever its value, because
 * the rule is off then.
 *
 * With a delay, a breach opens the alert once it has lasted that long, from its first reading to the current
 * one. Until then the breach restarts after a reading within the bounds, after a gap, at another bound, and
 * when a window ends. A failing sensor neither ends the breach nor completes its delay.
 */
import { INTERVALS_HELD } from '../devices/configuration.ts';
import type { StoredReading } from '../devices/reading.ts';
import { grouped } from '../process/grouped.ts';
import type { AlertResolution } from './alert.ts';
import { type AlertDefinition, type Bounds, isActiveAt, isActiveBetween } from './alert-definition.ts';

export type TemperatureAlertType = 'high_temp' | 'low_temp';

export interface OpenTemperatureAlert {
  type: TemperatureAlertType;
  /** Null until the alert is stored. */
  alertId: string | null;
  /** Names the definition within the configuration of the device. */
  rule: number;
  channel: number;
}

/** A breach that has not lasted as long as its delay. */
export interface UnopenedBreach {
  type: 'breach';
  rule: number;
  channel: number;
  alertType: TemperatureAlertType;
  /** °C; the exceeded bound. */
  boundC: number;
  /** The first reading in breach: Unix milliseconds, °C. */
  startedAt: number;
  value: number;
  /** The latest reading of the channel: Unix milliseconds, and seconds to the next one, null if unknown. */
  lastAt: number;
  periodSeconds: number | null;
}

/** Value in °C; null: the sensor failed, so the reading cannot be compared with bounds. */
export type EvaluatedReading = Pick<StoredReading, 'channel' | 'value' | 'measuredAt' | 'periodSeconds'>;
type MeasuredReading = EvaluatedReading & { value: number };

export type AlertTransition =
  | {
      kind: 'opened';
      alert: OpenTemperatureAlert;
      definition: AlertDefinition;
      reading: MeasuredReading;
      /** The first reading of the breach, which without a delay is the one that opened the alert. */
      first: Pick<MeasuredReading, 'measuredAt' | 'value'>;
    }
  | {
      kind: 'resolved';
      alert: OpenTemperatureAlert;
      reading: EvaluatedReading;
      /** Null: resolved by the value of the reading. */
      resolution: AlertResolution | null;
    }
  /** The alert was open before, or opened with this reading. */
  | { kind: 'breach'; alert: OpenTemperatureAlert; definition: AlertDefinition };

export type TemperatureState = OpenTemperatureAlert | UnopenedBreach;

export function createAlertEvaluator(initial: readonly TemperatureState[]) {
  const open = new Map<string, OpenTemperatureAlert>();
  const unopened = new Map<string, UnopenedBreach>();
  for (const state of initial) {
    if (state.type === 'breach') unopened.set(keyOf(state), state);
    else open.set(keyOf(state), state);
  }

  function* evaluateOne(definition: AlertDefinition, reading: EvaluatedReading): Generator<AlertTransition> {
    const key = keyOf(definition);
    const breach = unopened.get(key);
    if (breach && !continues(breach, definition, reading)) unopened.delete(key);
    const { value } = reading;
    if (!isActiveAt(definition, reading.measuredAt)) {
      unopened.delete(key);
      yield* resolve(definition, reading, 'outside_schedule');
    } else if (value !== null) yield* evaluateBounds(definition, { ...reading, value });
    const going = unopened.get(key);
    if (going) unopened.set(key, { ...going, ...latestOf(reading) });
  }

  function* evaluateBounds(
    definition: AlertDefinition,
    reading: MeasuredReading,
  ): Generator<AlertTransition> {
    const key = keyOf(definition);
    const before = open.get(key);
    if (before && hasReturned(definition.bounds, before.type, reading.value))
      yield* resolve(definition, reading, null);
    const type = breachOf(definition.bounds, reading.value);
    if (type === null) return;
    if (!open.has(key)) {
      const breach = unopened.get(key) ?? toBreach(definition, type, reading);
      if (!hasLasted(breach, definition, reading)) {
        unopened.set(key, breach);
        return;
      }
      unopened.delete(key);
      const alert = { type, alertId: null, rule: definition.rule, channel: definition.channel };
      open.set(key, alert);
      const first = { measuredAt: new Date(breach.startedAt), value: breach.value };
      yield { kind: 'opened', alert, definition, reading, first };
    }
    yield { kind: 'breach', alert: open.get(key) as OpenTemperatureAlert, definition };
  }

  function* resolve(
    definition: AlertDefinition,
    reading: EvaluatedReading,
    resolution: AlertResolution | null,
  ): Generator<AlertTransition> {
    const alert = open.get(keyOf(definition));
    if (open.delete(keyOf(definition)) && alert) yield { kind: 'resolved', alert, reading, resolution };
  }

  return {
    /** Closes alerts whose definition is gone: a frame may open one while the device confirms other rules. */
    resolveUndefined(definitions: readonly AlertDefinition[]): OpenTemperatureAlert[] {
      const keys = new Set(definitions.map(keyOf));
      for (const key of unopened.keys()) if (!keys.has(key)) unopened.delete(key);
      const stale = [...open].filter(([key]) => !keys.has(key));
      for (const [key] of stale) open.delete(key);
      return stale.map(([, alert]) => alert);
    },
    /** Evaluates readings in the order of their time; none of them may be late. */
    evaluate: (definitions: readonly AlertDefinition[], readings: readonly EvaluatedReading[]) =>
      readings.flatMap((reading) =>
        definitions
          .filter(({ channel }) => channel === reading.channel)
          .flatMap((definition) => [...evaluateOne(definition, reading)]),
      ),
    open: () => [...open.values()],
    unopened: () => [...unopened.values()],
  };
}

/** A message may hold a thousand excursions, and each alert takes rows for all that follow it. */
const OVER_MAX = 20;

/** Of each key, in the order given. */
export function latestOfEach<Each>(items: readonly Each[], keyOfItem: (item: Each) => string): Each[] {
  const latest = new Set([...grouped(items, keyOfItem).values()].flatMap((same) => same.slice(-OVER_MAX)));
  return items.filter((item) => latest.has(item));
}

/** Leaves out all but the latest alerts of each definition that both open and resolve within a message. */
export function withLatestAlerts(transitions: AlertTransition[]): AlertTransition[] {
  const alertsOf = (kind: AlertTransition['kind']) =>
    transitions.flatMap((each) => (each.kind === kind ? [each.alert] : []));
  const opened = new Set(alertsOf('opened'));
  const left = new Set(alertsOf('resolved').filter((alert) => opened.has(alert)));
  for (const alert of latestOfEach([...left], keyOf)) left.delete(alert);
  return left.size === 0 ? transitions : transitions.filter(({ alert }) => !left.has(alert));
}

const toBreach = (
  { rule, channel, bounds }: AlertDefinition,
  alertType: TemperatureAlertType,
  reading: MeasuredReading,
): UnopenedBreach => ({
  type: 'breach',
  rule,
  channel,
  alertType,
  boundC: boundOf(bounds, alertType) as number,
  startedAt: reading.measuredAt.getTime(),
  value: reading.value,
  ...latestOf(reading),
});

const latestOf = ({ measuredAt, periodSeconds }: EvaluatedReading) => ({
  lastAt: measuredAt.getTime(),
  periodSeconds,
});

/**
 * Whether the reading continues the breach: without a gap, in the same window, and not within the same bound.
 */
function continues(breach: UnopenedBreach, definition: AlertDefinition, reading: EvaluatedReading): boolean {
  const { alertType, boundC, startedAt, lastAt, periodSeconds } = breach;
  const { value, measuredAt } = reading;
  // The breach began with a reading from a fast clock.
  if (measuredAt.getTime() < startedAt) return false;
  if (boundOf(definition.bounds, alertType) !== boundC) return false;
  if (value !== null && breachOf(definition.bounds, value) !== alertType) return false;
  const periodMs = Math.max(periodSeconds ?? 0, reading.periodSeconds ?? 0) * 1_000;
  if (periodMs > 0 && measuredAt.getTime() - lastAt > INTERVALS_HELD * periodMs) return false;
  return isActiveBetween(definition, new Date(lastAt), measuredAt);
}

const hasLasted = (
  { startedAt }: UnopenedBreach,
  { delayMinutes }: AlertDefinition,
  { measuredAt }: EvaluatedReading,
) => measuredAt.getTime() - startedAt >= delayMinutes * 60_000;

const boundOf = ({ lowC, highC }: Bounds, type: TemperatureAlertType) =>
  type === 'high_temp' ? highC : lowC;

const keyOf = ({ rule, channel }: { rule: number; channel: number }) => `${rule} ${channel}`;

/** Far above the rounding errors of sums of bounds and hysteresis, far below the steps of readings. */
const TOLERANCE_C = 1e-6;

export function breachOf(
  { lowC, highC }: Pick<Bounds, 'lowC' | 'highC'>,
  value: number,
): TemperatureAlertType | null {
  if (highC !== null && value > highC + TOLERANCE_C) return 'high_temp';
  if (lowC !== null && value < lowC - TOLERANCE_C) return 'low_temp';
  return null;
}

/** A value beyond the other bound has returned from this one, whatever the hysteresis. */
function hasReturned(bounds: Bounds, type: TemperatureAlertType, value: number): boolean {
  const breach = breachOf(bounds, value);
  if (breach !== null) return breach !== type;
  const { lowC, highC, hysteresisC } = bounds;
  return type === 'high_temp'
    ? highC === null || value <= highC - hysteresisC + TOLERANCE_C
    : lowC === null || value >= lowC + hysteresisC - TOLERANCE_C;
}
