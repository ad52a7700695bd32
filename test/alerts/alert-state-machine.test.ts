/** The rules of temperature alerts as properties, in whole hundredths of a degree. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AlertDefinition } from '../../src/alerts/alert-definition.ts';
import {
  type AlertTransition,
  createAlertEvaluator,
  type EvaluatedReading,
  type OpenTemperatureAlert,
} from '../../src/alerts/alert-state-machine.ts';

/** In hundredths of a degree; the evaluator gets the same numbers in degrees. */
interface Definition {
  rule: number;
  channel: number;
  low: number | null;
  high: number | null;
  hysteresis: number;
}
interface Sample {
  channel: number;
  value: number;
}

const channels = fc.integer({ min: 1, max: 2 });
/**
 * Bounds are tenths, as on the device, which may have a hysteresis larger than the distance of its bounds.
 */
const definitions: fc.Arbitrary<Definition[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('range', 'high', 'low'),
      channel: channels,
      low: fc.integer({ min: -30, max: 30 }),
      width: fc.integer({ min: 1, max: 30 }),
      hysteresis: fc.integer({ min: 0, max: 30 }),
    }),
    { maxLength: 4 },
  )
  .map((all) =>
    all.map(({ kind, channel, low, width, hysteresis }, index) => ({
      rule: index * 3,
      channel,
      low: kind === 'high' ? null : low * 10,
      high: kind === 'low' ? null : (low + width) * 10,
      hysteresis: hysteresis * 10,
    })),
  );
const samples = fc.array(fc.record({ channel: channels, value: fc.integer({ min: -700, max: 700 }) }), {
  maxLength: 40,
});
/** The positions at which a series is split into frames. */
const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 8 });

const degrees = (hundredths: number | null) => (hundredths === null ? null : hundredths / 100);
const toDefinitions = (all: Definition[]): AlertDefinition[] =>
  all.map(({ rule, channel, low, high, hysteresis }) => ({
    rule,
    channel,
    bounds: { lowC: degrees(low), highC: degrees(high), hysteresisC: hysteresis / 100 },
    windows: null,
    delayMinutes: 0,
    severity: 'critical',
  }));
const toReadings = (all: Sample[]): EvaluatedReading[] =>
  all.map(({ channel, value }, index) => ({
    channel,
    value: value / 100,
    measuredAt: new Date(1_700_000_000_000 + index * 60_000),
    periodSeconds: null,
  }));

const breachOf = ({ low, high }: Definition, value: number) =>
  high !== null && value > high ? 'high_temp' : low !== null && value < low ? 'low_temp' : null;
/** Whether the value has returned from the bound that the alert opened at, by the hysteresis. */
const hasReturned = ({ low, high, hysteresis }: Definition, type: string | undefined, value: number) =>
  type === 'high_temp' ? value <= (high ?? 0) - hysteresis : value >= (low ?? 0) + hysteresis;
const describeOpen = (open: OpenTemperatureAlert[]) =>
  open.map(({ rule, channel, type }) => `${rule} ${channel} ${type}`).toSorted();
const describeAll = (transitions: AlertTransition[]) =>
  transitions.map(({ kind, alert: { rule, channel, type } }) => `${kind} ${rule} ${channel} ${type}`);

/**
 * Evaluates frame by frame, each from the alerts that the previous one left open, as the database keeps them.
 */
function inFrames(alertDefinitions: AlertDefinition[], readings: EvaluatedReading[], at: number[]) {
  const ends = [...at.filter((end) => end < readings.length), readings.length].toSorted((a, b) => a - b);
  let open: OpenTemperatureAlert[] = [];
  const transitions = ends.flatMap((end, index) => {
    const evaluator = createAlertEvaluator(JSON.parse(JSON.stringify(open)));
    const ofFrame = evaluator.evaluate(alertDefinitions, readings.slice(ends[index - 1] ?? 0, end));
    open = evaluator.open();
    return ofFrame;
  });
  return { open, transitions };
}

/** Calls back after each reading, with the alerts that were open before and after it. */
function stepByStep(
  all: Definition[],
  series: Sample[],
  check: (sample: Sample, before: string[], after: string[]) => void,
): void {
  const alertDefinitions = toDefinitions(all);
  const evaluator = createAlertEvaluator([]);
  toReadings(series).forEach((reading, index) => {
    const before = describeOpen(evaluator.open());
    evaluator.evaluate(alertDefinitions, [reading]);
    check(series[index] as Sample, before, describeOpen(evaluator.open()));
  });
}

const typesOf = ({ rule, channel }: Definition, open: string[]) =>
  open.filter((each) => each.startsWith(`${rule} ${channel} `)).map((each) => each.split(' ')[2]);

describe('The state machine of temperature alerts', () => {
  it('opens at most one alert per definition', () => {
    fc.assert(
      fc.property(definitions, samples, (all, series) => {
        stepByStep(all, series, (_sample, _before, after) => {
          for (const definition of all) assert.ok(typesOf(definition, after).length <= 1);
          assert.ok(after.length <= all.length);
        });
      }),
    );
  });

  it('keeps an alert of the exceeded bound open after a reading beyond it', () => {
    fc.assert(
      fc.property(definitions, samples, (all, series) => {
        stepByStep(all, series, (sample, _before, after) => {
          for (const definition of all.filter(({ channel }) => channel === sample.channel)) {
            const type = breachOf(definition, sample.value);
            if (type !== null) assert.deepEqual(typesOf(definition, after), [type]);
          }
        });
      }),
    );
  });

  it('ends an open alert with the first reading that has returned on its own side, and not before', () => {
    fc.assert(
      fc.property(definitions, samples, (all, series) => {
        stepByStep(all, series, ({ channel, value }, before, after) => {
          for (const definition of all.filter((each) => each.channel === channel)) {
            if (breachOf(definition, value) !== null) continue;
            const [type] = typesOf(definition, before);
            const expected = type === undefined || hasReturned(definition, type, value) ? [] : [type];
            assert.deepEqual(typesOf(definition, after), expected);
          }
        });
      }),
    );
  });

  it('changes nothing by readings of other channels', () => {
    fc.assert(
      fc.property(definitions, samples, (all, series) => {
        stepByStep(all, series, ({ channel }, before, after) => {
          for (const definition of all.filter((each) => each.channel !== channel))
            assert.deepEqual(typesOf(definition, after), typesOf(definition, before));
        });
      }),
    );
  });

  it('opens the same alerts for the same readings in any split into frames', () => {
    fc.assert(
      fc.property(definitions, samples, cuts, (all, series, at) => {
        const [alertDefinitions, readings] = [toDefinitions(all), toReadings(series)];
        const whole = createAlertEvaluator([]);
        const transitions = whole.evaluate(alertDefinitions, readings);
        const inPieces = inFrames(alertDefinitions, readings, at);
        assert.deepEqual(describeAll(inPieces.transitions), describeAll(transitions));
        assert.deepEqual(describeOpen(inPieces.open), describeOpen(whole.open()));
      }),
    );
  });

  it('reports each opening and closing, and breaches only while an alert is open', () => {
    fc.assert(
      fc.property(definitions, samples, (all, series) => {
        const evaluator = createAlertEvaluator([]);
        const open = new Set<OpenTemperatureAlert>();
        for (const { kind, alert } of evaluator.evaluate(toDefinitions(all), toReadings(series))) {
          if (kind === 'opened') open.add(alert);
          else if (kind === 'resolved') assert.ok(open.delete(alert));
          else assert.ok(open.has(alert));
        }
        assert.deepEqual([...open], evaluator.open());
      }),
    );
  });

  it('reports each breach once per definition', () => {
    fc.assert(
      fc.property(definitions, samples, (all, series) => {
        const transitions = createAlertEvaluator([]).evaluate(toDefinitions(all), toReadings(series));
        const breaches = series.flatMap((sample) =>
          all.filter(
            (definition) =>
              definition.channel === sample.channel && breachOf(definition, sample.value) !== null,
          ),
        );
        assert.equal(transitions.filter(({ kind }) => kind === 'breach').length, breaches.length);
      }),
    );
  });

  it('closes alerts by a reading outside of the windows, and follows the rules within them', () => {
    const windows = [
      { type: 'WEEK' as const, enableRules: [0], days: [1], fromTime: 480, toTime: 1_080, timezone: 0 },
    ];
    const hours = fc.array(fc.nat({ max: 12 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(definitions, samples, hours, (all, series, hoursLater) => {
        let timeMs = Date.UTC(2026, 2, 2);
        const evaluator = createAlertEvaluator([]);
        const within = createAlertEvaluator([]);
        const withWindows = toDefinitions(all).map((each) => ({ ...each, windows }));
        for (const [index, reading] of toReadings(series).entries()) {
          timeMs += (hoursLater[index] as number) * 3_600_000;
          const at = new Date(timeMs);
          const transitions = evaluator.evaluate(withWindows, [{ ...reading, measuredAt: at }]);
          if (at.getUTCDay() === 1 && at.getUTCHours() >= 8 && at.getUTCHours() < 18) {
            within.evaluate(toDefinitions(all), [reading]);
          } else {
            for (const { kind, ...more } of transitions)
              assert.deepEqual(
                [kind, 'resolution' in more && more.resolution],
                ['resolved', 'outside_schedule'],
              );
            within.resolveUndefined(toDefinitions(all).filter(({ channel }) => channel !== reading.channel));
          }
          assert.deepEqual(describeOpen(evaluator.open()), describeOpen(within.open()));
        }
      }),
    );
  });

  it('ends an open alert outside of its window, and opens it again by a breach in the next one', () => {
    const sundays = {
      type: 'WEEK' as const,
      enableRules: [0],
      days: [0],
      fromTime: 0,
      toTime: 1_439,
      timezone: 0,
    };
    const [definition] = toDefinitions([{ rule: 0, channel: 1, low: null, high: 800, hysteresis: 0 }]);
    const evaluator = createAlertEvaluator([]);
    const on = (day: number, value: number) =>
      describeAll(
        evaluator.evaluate(
          [{ ...(definition as AlertDefinition), windows: [sundays] }],
          [{ channel: 1, value, measuredAt: new Date(Date.UTC(2026, 2, day, 12)), periodSeconds: null }],
        ),
      );
    assert.deepEqual(on(2, 9), []);
    assert.deepEqual(on(8, 9), ['opened 0 1 high_temp', 'breach 0 1 high_temp']);
    assert.deepEqual(on(9, 9), ['resolved 0 1 high_temp']);
    assert.deepEqual(on(10, 9), []);
    assert.deepEqual(on(15, 9), ['opened 0 1 high_temp', 'breach 0 1 high_temp']);
  });
});
