/**
 * How readings open and close temperature alerts: a pure state machine per device. A definition has at most one alert
 * open. A reading beyond the other bound closes it and opens another; a reading that is back inside the bound it opened at,
 * by the hysteresis, closes it; anything in between leaves it as it is. The other bound has no say in a return, as on the
 * device, where each bound is a rule with a hysteresis of its own. A reading outside of the windows of the definition
 * closes it whatever its value, because the rule is off then.
 */
import type { AlertResolution } from './alert.ts';
import { type AlertDefinition, type Bounds, isActiveAt } from './alert-definition.ts';

export type TemperatureAlertType = 'high_temp' | 'low_temp';

export interface OpenTemperatureAlert {
  type: TemperatureAlertType;
  /** Null until it is stored. */
  alertId: string | null;
  /** Names the definition within the configuration of the device. */
  rule: number;
  channel: number;
}

export interface EvaluatedReading {
  channel: number;
  /** °C; null: the sensor failed, so nothing is known of the bounds. */
  value: number | null;
  measuredAt: Date;
}

/** The sensor measured a value. */
type MeasuredReading = EvaluatedReading & { value: number };

export type AlertTransition =
  | {
      kind: 'opened';
      alert: OpenTemperatureAlert;
      definition: AlertDefinition;
      reading: MeasuredReading;
    }
  | {
      kind: 'resolved';
      alert: OpenTemperatureAlert;
      reading: EvaluatedReading;
      /** Null: by the value of the reading. */
      resolution: AlertResolution | null;
    }
  /** The alert was open before, or this reading has opened it. */
  | { kind: 'breach'; alert: OpenTemperatureAlert; definition: AlertDefinition };

export interface AlertEvaluator {
  /** Closes alerts whose definition is gone: a frame may open one while the device confirms other rules. */
  resolveUndefined(definitions: readonly AlertDefinition[]): OpenTemperatureAlert[];
  /** Readings in the order of their time, none of them late. */
  evaluate(definitions: readonly AlertDefinition[], readings: readonly EvaluatedReading[]): AlertTransition[];
  open(): OpenTemperatureAlert[];
}

export function createAlertEvaluator(initial: readonly OpenTemperatureAlert[]): AlertEvaluator {
  const open = new Map(initial.map((alert) => [keyOf(alert), alert]));

  function* evaluateOne(definition: AlertDefinition, reading: EvaluatedReading): Generator<AlertTransition> {
    const { value } = reading;
    if (!isActiveAt(definition, reading.measuredAt)) yield* resolve(definition, reading, 'outside_schedule');
    else if (value !== null) yield* evaluateBounds(definition, { ...reading, value });
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
      const alert = { type, alertId: null, rule: definition.rule, channel: definition.channel };
      open.set(key, alert);
      yield { kind: 'opened', alert, definition, reading };
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
    resolveUndefined(definitions) {
      const keys = new Set(definitions.map(keyOf));
      const stale = [...open].filter(([key]) => !keys.has(key));
      for (const [key] of stale) open.delete(key);
      return stale.map(([, alert]) => alert);
    },
    evaluate: (definitions, readings) =>
      readings.flatMap((reading) =>
        definitions
          .filter(({ channel }) => channel === reading.channel)
          .flatMap((definition) => [...evaluateOne(definition, reading)]),
      ),
    open: () => [...open.values()],
  };
}

const keyOf = ({ rule, channel }: { rule: number; channel: number }) => `${rule} ${channel}`;

/** Far more than sums of bounds and hysteresis are off by, far less than the steps of readings. */
const TOLERANCE_C = 1e-6;

function breachOf({ lowC, highC }: Bounds, value: number): TemperatureAlertType | null {
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
