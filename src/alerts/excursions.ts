/**
 * Finds the excursions in stored readings, each moment by the rules that were in force then: the state
 * machine of live alerts over past readings. An excursion ends at the next reading that has returned, or when
 * its bounds are no longer in force.
 */
import type { StoredReading } from '../devices/reading.ts';
import { partitionPoint } from '../process/partition-point.ts';
import { type AlertDefinition, isActiveAt } from './alert-definition.ts';
import {
  type AlertTransition,
  breachOf,
  createAlertEvaluator,
  type OpenTemperatureAlert,
  type TemperatureAlertType,
} from './alert-state-machine.ts';
import type { RulesInForce } from './rules-in-force.ts';

/** Excursions with the same terms belong to the same definition. */
export interface ExcursionTerms extends Pick<AlertDefinition, 'channel' | 'bounds' | 'severity'> {
  type: TemperatureAlertType;
}

export interface Sample {
  /** Unix milliseconds */
  at: number;
  /** °C */
  value: number;
  late: boolean;
}

export interface Excursion<Carried> extends ExcursionTerms {
  /** The excursion that was open before the first reading; null: one of the readings begins it. */
  carried: Carried | null;
  /** Unix milliseconds */
  startedAt: number;
  /** The last sample before its end. */
  last: Sample;
  /** Unix milliseconds; null: the last of the readings is part of the excursion. */
  endedAt: number | null;
  /** Its samples in breach, oldest first. */
  breaches: Sample[];
}

interface Stretch {
  readings: readonly StoredReading[];
  isNewest: boolean;
}

interface Excursions<Carried> {
  /** Ordered by their beginning. */
  found: Excursion<Carried>[];
  /**
   * Whether the last of the readings is part of a breach that has late readings and has not lasted its delay.
   */
  hasUnopenedLateBreach: boolean;
}

/**
 * Finds the excursions of one channel. All inputs are ordered by time. `open` lists excursions that were open
 * before the first reading. `isNewest`: nothing is stored after the last reading, so rules that come into
 * force later end open excursions.
 */
export function findExcursions<Carried extends ExcursionTerms>(
  { readings, isNewest }: Stretch,
  rules: readonly RulesInForce[],
  open: readonly Carried[],
): Excursions<Carried> {
  const [first] = readings;
  if (!first) return { found: [], hasUnopenedLateBreach: false };
  let position = rules.findLastIndex(({ from }) => from <= first.measuredAt.getTime());
  const excursions = carry(open, definitionsAt(rules, position), first);
  const evaluator = createAlertEvaluator([...excursions.keys()]);

  /** Rules that come into force between two readings end excursions that the earlier rules opened. */
  function advanceTo(until: number): void {
    for (let next = rules[position + 1]; next && next.from <= until; next = rules[position + 1]) {
      for (const alert of evaluator.resolveUndefined(next.definitions)) end(alert, next.from);
      position++;
    }
  }

  function end(alert: OpenTemperatureAlert, at: number): void {
    const excursion = excursions.get(alert);
    if (excursion) excursion.endedAt = at;
  }

  function apply(transition: AlertTransition, reading: StoredReading): void {
    const { alert } = transition;
    if (transition.kind === 'resolved') end(alert, reading.measuredAt.getTime());
    if (transition.kind === 'opened') excursions.set(alert, toExcursion<Carried>(transition, reading));
  }

  for (const reading of readings) {
    advanceTo(reading.measuredAt.getTime());
    const periodSeconds = reading.periodSeconds ?? rules[position]?.periodSeconds ?? null;
    const definitions = definitionsAt(rules, position).filter((each) => concerns(each, reading));
    const transitions = evaluator.evaluate(definitions, [{ ...reading, periodSeconds }]);
    for (const transition of transitions) apply(transition, reading);
    for (const sample of toSamples([reading]))
      for (const alert of evaluator.open()) (excursions.get(alert) as Excursion<Carried>).last = sample;
  }
  const unopened = evaluator.unopened();
  if (isNewest) advanceTo(Number.POSITIVE_INFINITY);
  const samples = toSamples(readings);
  return {
    found: [...excursions.values()]
      .map((excursion) => ({ ...excursion, breaches: breachesOf(excursion, samples) }))
      .sort((a, b) => a.startedAt - b.startedAt),
    hasUnopenedLateBreach: unopened.some(({ startedAt }) =>
      samples.some(({ at, late }) => late && at >= startedAt),
    ),
  };
}

const definitionsAt = (rules: readonly RulesInForce[], position: number) =>
  rules[position]?.definitions ?? [];

/** A sensor error ends no excursion, so it never leads to a search for one. */
const concerns = (definition: AlertDefinition, { value, measuredAt }: StoredReading): boolean =>
  value !== null || isActiveAt(definition, measuredAt);

/**
 * Keeps the latest excursion of each definition in force, and drops excursions that none in force has opened.
 */
function carry<Carried extends ExcursionTerms>(
  open: readonly Carried[],
  definitions: readonly AlertDefinition[],
  { measuredAt }: StoredReading,
): Map<OpenTemperatureAlert, Excursion<Carried>> {
  const startedAt = measuredAt.getTime();
  const carriedRules = new Set<number>();
  const carried = open.toReversed().flatMap((each): Array<[OpenTemperatureAlert, Excursion<Carried>]> => {
    const definition = definitions.find((one) => areSameTerms({ ...one, type: each.type }, each));
    if (!definition || carriedRules.has(definition.rule)) return [];
    carriedRules.add(definition.rule);
    const { rule, channel } = definition;
    const last = { at: startedAt - 1, value: Number.NaN, late: false };
    return [
      [
        { type: each.type, alertId: null, rule, channel },
        { ...termsOf(each), carried: each, startedAt, last, endedAt: null, breaches: [] },
      ],
    ];
  });
  return new Map(carried);
}

function toExcursion<Carried>(
  { alert, definition, first }: Extract<AlertTransition, { kind: 'opened' }>,
  { late }: StoredReading,
): Excursion<Carried> {
  const startedAt = first.measuredAt.getTime();
  return {
    ...termsOf({ ...definition, type: alert.type }),
    carried: null,
    startedAt,
    last: { at: startedAt, value: first.value, late },
    endedAt: null,
    breaches: [],
  };
}

export const termsOf = ({ type, channel, bounds, severity }: ExcursionTerms): ExcursionTerms => ({
  type,
  channel,
  bounds,
  severity,
});

export const areSameTerms = (a: ExcursionTerms, b: ExcursionTerms): boolean =>
  a.type === b.type &&
  a.channel === b.channel &&
  a.severity === b.severity &&
  a.bounds.lowC === b.bounds.lowC &&
  a.bounds.highC === b.bounds.highC &&
  a.bounds.hysteresisC === b.bounds.hysteresisC;

/** Equal for the same terms. */
export const keyOfTerms = ({ type, channel, bounds, severity }: ExcursionTerms): string =>
  [type, channel, severity, bounds.lowC, bounds.highC, bounds.hysteresisC].join();

/** Leaves out sensor errors. */
export const toSamples = (readings: readonly StoredReading[]): Sample[] =>
  readings.flatMap(({ value, measuredAt, late }) =>
    value === null ? [] : [{ at: measuredAt.getTime(), value, late }],
  );

const breachesOf = (
  { startedAt, last, bounds, type }: Excursion<unknown>,
  samples: readonly Sample[],
): Sample[] =>
  samples
    .slice(
      partitionPoint(samples, ({ at }) => at < startedAt),
      partitionPoint(samples, ({ at }) => at <= last.at),
    )
    .filter(({ value }) => breachOf(bounds, value) === type);
