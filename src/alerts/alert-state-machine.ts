/**
 * How readings open and close alerts: a pure state machine per device. A definition has at most one alert open, on the
 * side that was left. A reading beyond the other bound closes it and opens another one; a reading back inside by the
 * hysteresis on both sides closes it; anything in between leaves it as it is.
 */
import { type AlertDefinition, type Bounds, isActiveAt } from './alert-definition.ts';

export type Side = 'high' | 'low';

/** One that is open; until it is stored it has no id. */
export interface OpenAlert {
  alertId: string | null;
  /** Which definition of the configuration that the device runs. */
  rule: number;
  channel: number;
  side: Side;
}

export interface EvaluatedReading {
  channel: number;
  /** °C */
  value: number;
  measuredAt: Date;
}

export type AlertTransition =
  | { kind: 'opened'; alert: OpenAlert; definition: AlertDefinition; reading: EvaluatedReading }
  | { kind: 'closed'; alert: OpenAlert; reading: EvaluatedReading }
  | { kind: 'breached'; alert: OpenAlert; definition: AlertDefinition };

export interface AlertEvaluator {
  /** Ends what no definition stands behind any more: one that a frame opened while other rules were being confirmed. */
  resolveUndefined(definitions: readonly AlertDefinition[]): OpenAlert[];
  /** Readings in the order of their time, none of them late, no error codes. */
  take(definitions: readonly AlertDefinition[], readings: readonly EvaluatedReading[]): AlertTransition[];
  open(): OpenAlert[];
}

export function createAlertEvaluator(initial: readonly OpenAlert[]): AlertEvaluator {
  const open = new Map(initial.map((alert) => [keyOf(alert), alert]));

  function* evaluate(definition: AlertDefinition, reading: EvaluatedReading): Generator<AlertTransition> {
    const key = keyOf(definition);
    const side = breachedSide(definition.bounds, reading.value);
    const before = open.get(key);
    const hasEnded = side === null ? hasReturned(definition.bounds, reading.value) : side !== before?.side;
    if (before && hasEnded) {
      open.delete(key);
      yield { kind: 'closed', alert: before, reading };
    }
    if (side === null) return;
    if (!open.has(key)) {
      const alert = { alertId: null, rule: definition.rule, channel: definition.channel, side };
      open.set(key, alert);
      yield { kind: 'opened', alert, definition, reading };
    }
    yield { kind: 'breached', alert: open.get(key) as OpenAlert, definition };
  }

  return {
    resolveUndefined(definitions) {
      const keys = new Set(definitions.map(keyOf));
      const orphans = [...open].filter(([key]) => !keys.has(key));
      for (const [key] of orphans) open.delete(key);
      return orphans.map(([, alert]) => alert);
    },
    take: (definitions, readings) =>
      readings.flatMap((reading) =>
        definitions
          .filter(({ channel }) => channel === reading.channel)
          .filter((definition) => isActiveAt(definition, reading.measuredAt))
          .flatMap((definition) => [...evaluate(definition, reading)]),
      ),
    open: () => [...open.values()],
  };
}

const keyOf = ({ rule, channel }: { rule: number; channel: number }) => `${rule} ${channel}`;

/** Bounds, hysteresis and readings are tenths or hundredths; sums of them are exact to far less than this. */
const TOLERANCE_C = 1e-6;

export function breachedSide({ lowC, highC }: Bounds, value: number): Side | null {
  if (highC !== null && value > highC + TOLERANCE_C) return 'high';
  if (lowC !== null && value < lowC - TOLERANCE_C) return 'low';
  return null;
}

export function hasReturned({ lowC, highC, hysteresisC }: Bounds, value: number): boolean {
  const isBelow = highC === null || value <= highC - hysteresisC + TOLERANCE_C;
  const isAbove = lowC === null || value >= lowC + hysteresisC - TOLERANCE_C;
  return isBelow && isAbove;
}
