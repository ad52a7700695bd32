/**
 * Alerts with a delay: by example, and compared with a second implementation that looks back from each
 * reading.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AlertDefinition, isActiveAt } from '../../src/alerts/alert-definition.ts';
import { createAlertEvaluator, type TemperatureState } from '../../src/alerts/alert-state-machine.ts';
import type { WeekCalendar } from '../../src/devices/configuration.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

/** A Monday. */
const START_MS = Date.UTC(2026, 2, 2);

interface Sample {
  /** Minutes after the start. */
  minute: number;
  /** °C; null: the sensor failed. */
  value: number | null;
  periodMinutes: number | null;
  highC: number;
}
interface Opening {
  minute: number;
  type: string;
  since: number;
  value: number | null;
}

const window = (fromTime: number, toTime: number, timezone = 0): WeekCalendar => ({
  type: 'WEEK',
  enableRules: [0],
  days: [1, 2],
  fromTime,
  toTime,
  timezone,
});
const definitionWith = (highC: number, more: Partial<AlertDefinition> = {}): AlertDefinition => ({
  rule: 0,
  channel: 1,
  bounds: { lowC: 2, highC, hysteresisC: 1 },
  windows: null,
  delayMinutes: 30,
  severity: 'critical',
  ...more,
});
const timeOf = (minute: number) => new Date(START_MS + minute * MINUTE_MS);

/** Evaluates one frame per reading, with the state in between as the database keeps it. */
function openingsOf(samples: readonly Sample[], more: Partial<AlertDefinition> = {}): Opening[] {
  let state: TemperatureState[] = [];
  return samples.flatMap(({ minute, value, periodMinutes, highC }) => {
    const evaluator = createAlertEvaluator(JSON.parse(JSON.stringify(state)));
    const periodSeconds = periodMinutes && periodMinutes * 60;
    const reading = { channel: 1, value, measuredAt: timeOf(minute), periodSeconds };
    const transitions = evaluator.evaluate([definitionWith(highC, more)], [reading]);
    state = [...evaluator.open(), ...evaluator.unopened()];
    return transitions.flatMap((each) =>
      each.kind === 'opened'
        ? [
            {
              minute,
              type: each.alert.type,
              since: (each.first.measuredAt.getTime() - START_MS) / MINUTE_MS,
              value: each.first.value,
            },
          ]
        : [],
    );
  });
}

/** The second implementation: looks back from each reading, and remembers only which alert is open. */
function expectedOpenings(samples: readonly Sample[], more: Partial<AlertDefinition>): Opening[] {
  const definition = definitionWith(8, more);
  const breachOf = ({ value, highC }: Sample) =>
    value === null ? null : value > highC ? 'high_temp' : value < 2 ? 'low_temp' : null;
  const isActive = (minute: number) => isActiveAt(definition, timeOf(minute));
  const isJoined = (before: Sample, after: Sample, type: string) => {
    const period = Math.max(before.periodMinutes ?? 0, after.periodMinutes ?? 0);
    if (period > 0 && after.minute - before.minute > 2 * period) return false;
    if (type === 'high_temp' && before.highC !== after.highC) return false;
    for (let minute = before.minute; minute <= after.minute; minute++) if (!isActive(minute)) return false;
    return true;
  };
  const firstOf = (index: number, type: string): Sample => {
    let first = samples[index] as Sample;
    for (let at = index; at > 0; at--) {
      const [before, after] = [samples[at - 1] as Sample, samples[at] as Sample];
      if (!isJoined(before, after, type) || (before.value !== null && breachOf(before) !== type)) break;
      if (before.value !== null) first = before;
    }
    return first;
  };
  let open: string | null = null;
  return samples.flatMap((sample, index) => {
    const { minute, value, highC } = sample;
    if (!isActive(minute)) open = null;
    if (value === null || !isActive(minute)) return [];
    const type = breachOf(sample);
    const hasReturned = open === 'high_temp' ? value <= highC - 1 : value >= 3;
    if (open !== null && (type === null ? hasReturned : type !== open)) open = null;
    if (type === null || open !== null) return [];
    const first = firstOf(index, type);
    if (minute - first.minute < definition.delayMinutes) return [];
    open = type;
    return [{ minute, type, since: first.minute, value: first.value }];
  });
}

/** `[minute, value, period in minutes]` */
const samplesOf = (...all: Array<[number, number, (number | null)?]>): Sample[] =>
  all.map(([minute, value, periodMinutes = null]) => ({ minute, value, periodMinutes, highC: 8 }));
const summary = (samples: Sample[], more: Partial<AlertDefinition> = {}) =>
  openingsOf(samples, more).map(({ minute, since }) => [minute, since]);

describe('A breach of an alert with a delay', () => {
  it('opens the alert with the reading at which the breach has lasted exactly the delay, and not a minute before', () => {
    assert.deepEqual(openingsOf(samplesOf([0, 9], [29, 10], [30, 11], [31, 12])), [
      { minute: 30, type: 'high_temp', since: 0, value: 9 },
    ]);
    assert.deepEqual(summary(samplesOf([0, 9], [29, 10])), []);
  });

  it('restarts at earlier readings, which show that the clock was fast at the beginning', () => {
    assert.deepEqual(summary(samplesOf([3_600, 9], [0, 9], [29, 9], [30, 9])), [[30, 0]]);
  });

  it('restarts after a gap of more than two of the larger period at its ends', () => {
    assert.deepEqual(summary(samplesOf([0, 9, 10], [20, 9, 10], [30, 9, 10])), [[30, 0]]);
    assert.deepEqual(summary(samplesOf([0, 9, 10], [21, 9, 10], [31, 9, 10], [51, 9, 10])), [[51, 21]]);
    assert.deepEqual(summary(samplesOf([0, 9, 5], [30, 9, 15])), [[30, 0]]);
    assert.deepEqual(summary(samplesOf([0, 9, 15], [30, 9, null])), [[30, 0]]);
  });

  it('continues over midnight where one window ends as the next begins', () => {
    const windows = [window(1_380, 1_440), window(0, 60)];
    assert.deepEqual(summary(samplesOf([1_425, 9], [1_440, 9], [1_455, 9]), { windows }), [[1_455, 1_425]]);
  });

  it('opens the same alerts as the second implementation, for any readings, periods, bounds, and windows', () => {
    const samples = fc
      .array(
        fc.record({
          later: fc.integer({ min: 1, max: 25 }),
          value: fc.constantFrom(null, 0, 1, 5, 7.5, 8.2, 9, 9, 9, 9, 9),
          periodMinutes: fc.constantFrom(null, 5, 10, 10),
          highC: fc.constantFrom(8, 8, 8, 8, 8, 8.1),
        }),
        { maxLength: 40 },
      )
      .map((all) =>
        all.map(({ later: _, ...sample }, index) => ({
          ...sample,
          minute: all.slice(0, index + 1).reduce((minute, { later }) => minute + later, 400),
        })),
      );
    const windows = fc.constantFrom<WeekCalendar[] | null>(
      null,
      [window(0, 430), window(435, 470), window(475, 500), window(510, 1_440)],
      [window(600, 480)],
      [window(420, 700, 60), window(640, 1_000)],
    );
    fc.assert(
      fc.property(samples, windows, fc.constantFrom(0, 10, 30, 60), (all, own, delayMinutes) => {
        const more = { windows: own, delayMinutes };
        assert.deepEqual(openingsOf(all, more), expectedOpenings(all, more));
      }),
      { numRuns: Number(process.env.DELAY_RUNS ?? 1_000) },
    );
  });
});
