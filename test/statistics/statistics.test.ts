/** The rules of statistics, compared with a plain computation over all samples at once. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ThresholdRule } from '../../src/devices/configuration.ts';
import type { SettingsPeriod } from '../../src/devices/settings.ts';
import { CURVE_COLUMNS, createCurves, joinable } from '../../src/statistics/curve.ts';
import { createKineticMean } from '../../src/statistics/mean-kinetic-temperature.ts';
import { createStatisticsService } from '../../src/statistics/statistics.service.ts';
import { createStatisticsFold, GAPS_MAX, type StatisticsOptions } from '../../src/statistics/statistics.ts';

const SECOND = 1_000;
const HOLD = 600 * SECOND;
const SPAN = { from: 1_000_000 * SECOND, to: 1_010_000 * SECOND };
const BOUNDS = { lowC: 2, highC: 8 };
const PERIOD_SECONDS = HOLD / SECOND / 2;

const threshold = (condition: ThresholdRule['condition'], celsius: number): ThresholdRule => ({
  condition,
  slotNumbers: [0],
  alarmRuleType: 'TEMPERATURE',
  threshold: celsius,
  hysteresis: 0,
  mode: 'CONSECUTIVE_SAMPLES',
  samples: 1,
  action: 'NO_ACTION',
});

/** Settings from then on; by default in force since long before the span. */
const inForce = (more: Partial<SettingsPeriod> & { lowC?: number; highC?: number } = {}): SettingsPeriod => {
  const { lowC = BOUNDS.lowC, highC = BOUNDS.highC, ...settings } = more;
  return {
    from: new Date(0),
    to: null,
    config: { alarmRules: [threshold('HIGH_THRESHOLD', highC), threshold('LOW_THRESHOLD', lowC)] },
    measurementPeriodSeconds: PERIOD_SECONDS,
    transmissionIntervalSeconds: null,
    profileSlug: null,
    source: 'report',
    ...settings,
  };
};

const OPTIONS: StatisticsOptions = {
  ...SPAN,
  registeredAt: 0,
  settings: [inForce()],
  medianOf: () => null,
};

interface Sample {
  at: number;
  value: number | null;
}

interface Options extends Partial<StatisticsOptions> {
  /** The period in frames that contain it. */
  periodSeconds?: number | null;
}

/** By default the bounds are in force, with a period of half of the time that a sample holds. */
function fold(samples: Sample[], { periodSeconds = null, ...options }: Options = {}) {
  const folded = createStatisticsFold({ ...OPTIONS, ...options });
  for (const { at, value } of samples.toSorted((a, b) => b.at - a.at))
    folded.add({ channel: 1, type: 1, value, measuredAt: new Date(at), periodSeconds });
  return folded.result()[0];
}

const at = (seconds: number, value: number | null): Sample => ({ at: SPAN.from + seconds * SECOND, value });

const arbitrarySamples = fc.uniqueArray(
  fc.record({
    at: fc.integer({ min: -700, max: 10_500 }).map((seconds) => SPAN.from + seconds * SECOND),
    value: fc.option(
      fc.integer({ min: -300, max: 300 }).map((tenths) => tenths / 10),
      { freq: 10 },
    ),
  }),
  { selector: (sample) => sample.at, minLength: 1, maxLength: 60 },
);

/** The plain computation: for every second, the value of the newest sample if it still holds. */
function secondBySecond(samples: Sample[]) {
  const newestFirst = samples.toSorted((a, b) => b.at - a.at);
  const known = newestFirst.filter(({ value }) => value !== null);
  let secondsOutside = 0;
  let uncovered = 0;
  for (let now = SPAN.from; now < SPAN.to; now += SECOND) {
    const reading = newestFirst.find((each) => each.at <= now);
    if (reading && now >= reading.at + HOLD) uncovered++;
    const held = known.find((sample) => sample.at <= now);
    if (!held || now >= held.at + HOLD) continue;
    if ((held.value as number) < BOUNDS.lowC || (held.value as number) > BOUNDS.highC) secondsOutside++;
  }
  return { secondsOutside, uncovered };
}

describe('Statistics of a channel', () => {
  it('agrees with a check of every second, for any samples', () => {
    fc.assert(
      fc.property(arbitrarySamples, (samples) => {
        const readings = samples.filter((each) => each.at >= SPAN.from && each.at < SPAN.to);
        const inSpan = readings.filter(({ value }) => value !== null);
        const found = fold(samples);
        if (!samples.some((each) => each.at < SPAN.to)) return assert.equal(found, undefined);
        if (inSpan.length === 0) assert.equal(found?.count, 0);
        assert.equal(found?.readings, readings.length);
        const values = inSpan.map(({ value }) => value as number);
        const { secondsOutside, uncovered } = secondBySecond(samples);
        if (values.length > 0) {
          assert.deepEqual(
            [found?.count, found?.min, found?.max],
            [values.length, Math.min(...values), Math.max(...values)],
          );
          const avg = values.reduce((sum, value) => sum + value, 0) / values.length;
          assert.ok(Math.abs((found?.avg ?? Number.NaN) - avg) < 1e-9);
        }
        assert.equal(found?.alerts[0]?.secondsOutside, secondsOutside);
        const gapSeconds = found?.gaps.reduce((sum, gap) => sum + (gap.to - gap.from) / SECOND, 0);
        assert.equal(gapSeconds, uncovered);
        assert.equal(found?.gapCount, found?.gaps.length);
      }),
      { numRuns: 150 },
    );
  });

  it('lets a sample hold until the next one, for two intervals at most, and counts more as a gap', () => {
    const found = fold([at(0, 5), at(500, 9), at(2_000, 1), at(9_900, 5)]);
    assert.deepEqual(found?.gaps, [
      { from: at(1_100, 0).at, to: at(2_000, 0).at },
      { from: at(2_600, 0).at, to: at(9_900, 0).at },
    ]);
    assert.equal(found?.alerts[0]?.secondsOutside, 600 + 600);
  });

  it('treats no sensor error as a sample, and no value on a bound as outside', () => {
    const found = fold([at(0, 2), at(100, null), at(500, 8)]);
    assert.deepEqual([found?.count, found?.alerts[0]?.secondsOutside], [2, 0]);
    const failed = fold([at(0, null)]);
    assert.deepEqual(
      [failed?.count, failed?.min, failed?.max, failed?.avg, failed?.readings],
      [0, null, null, null, 1],
    );
  });

  it('counts no time out of bounds for rounding errors, by which no alert opens', () => {
    const [low, high] = [35.6, 46.4].map((fahrenheit) => (fahrenheit - 32) / 1.8);
    assert.ok((low as number) > 2 && (high as number) < 8);
    for (const [value, bounds] of [
      [low, { highC: 2, lowC: 0 }],
      [high, { lowC: 8, highC: 9 }],
    ] as const)
      assert.equal(
        fold([at(0, value as number)], { settings: [inForce(bounds)] })?.alerts[0]?.secondsOutside,
        0,
      );
  });

  it('finds a gap by the larger of the periods in force at its two ends', () => {
    const settings = [
      inForce({ to: new Date(at(1_000, 0).at) }),
      inForce({ from: new Date(at(1_000, 0).at), measurementPeriodSeconds: 3 * PERIOD_SECONDS }),
    ];
    const found = fold([at(0, 5), at(700, 5), at(2_400, 5), at(4_201, 5), at(9_000, 5)], { settings });
    assert.deepEqual(found?.gaps, [
      { from: at(600, 0).at, to: at(700, 0).at },
      { from: at(4_200, 0).at, to: at(4_201, 0).at },
      { from: at(6_001, 0).at, to: at(9_000, 0).at },
    ]);
  });

  it('finds no gap before the first reading, and none before the registration', () => {
    assert.deepEqual(fold([at(9_500, 5)])?.gaps, []);
    const registeredAt = at(5_000, 0).at;
    assert.deepEqual(fold([at(0, 5), at(9_500, 5)], { registeredAt })?.gaps, [
      { from: registeredAt, to: at(9_500, 0).at },
    ]);
  });

  it('prefers the period of the frame to that of the settings', () => {
    const found = fold([at(0, 5), at(1_500, 5), at(9_000, 5)], { periodSeconds: 750 });
    assert.deepEqual([found?.gaps.length, found?.expectedReadings], [1, 14]);
  });

  it('uses the median distance of at least three readings when nothing else is known', () => {
    const settings: SettingsPeriod[] = [];
    const samples = [at(0, 5), at(300, 5), at(600, 5), at(5_000, 5), at(9_900, 5)];
    const unknown = createStatisticsFold({ ...OPTIONS, settings });
    for (const { at: time, value } of samples.toReversed())
      unknown.add({ channel: 1, type: 1, value, measuredAt: new Date(time), periodSeconds: null });
    const [before] = unknown.result();
    assert.deepEqual([before?.gapCount, before?.expectedReadings, unknown.lacksPeriod()], [0, null, true]);
    assert.equal(unknown.medianOf(1, 1), 2_350 * SECOND);
    const found = fold(samples, { settings, medianOf: () => 300 * SECOND });
    assert.deepEqual([found?.gapCount, found?.expectedReadings], [2, 34]);
    assert.equal(fold([at(0, 5), at(300, 5)], { settings })?.expectedReadings, null);
  });

  it('counts sensor errors as readings without a gap, and expects readings from the first one on', () => {
    const found = fold([at(100, 5), at(400, null), at(700, null), at(1_000, 5)]);
    assert.deepEqual([found?.count, found?.readings, found?.expectedReadings], [2, 4, 33]);
    assert.deepEqual(found?.gaps, [{ from: at(1_600, 0).at, to: SPAN.to }]);
  });

  it('expects the readings of a logger that misses none, wherever the span begins and ends', () => {
    const first = fc.integer({ min: -PERIOD_SECONDS, max: 2 * PERIOD_SECONDS });
    const spanSeconds = fc.integer({ min: 3 * PERIOD_SECONDS, max: 10_000 });
    fc.assert(
      fc.property(first, spanSeconds, (seconds, until) => {
        const samples = Array.from({ length: 36 }, (_, index) => at(seconds + index * PERIOD_SECONDS, 5));
        const found = fold(samples, { to: at(until, 0).at });
        assert.equal(found?.expectedReadings, found?.readings);
      }),
    );
  });

  it('expects readings by the period of each time, from the beginning of the span if there were earlier ones', () => {
    const change = new Date(at(4_000, 0).at);
    const settings = [
      inForce({ to: change }),
      inForce({ from: change, measurementPeriodSeconds: 2 * PERIOD_SECONDS }),
    ];
    // 4,000 s at 300 s, and 6,000 s at 600 s.
    assert.equal(fold([at(-100, 5), at(9_000, 5)], { settings })?.expectedReadings, 23);
  });

  it('expects no readings by a period that was over before the span, whenever the last reading was', () => {
    const change = new Date(at(-5_000, 0).at);
    const settings = [
      inForce({ to: change }),
      inForce({ from: change, measurementPeriodSeconds: 2 * PERIOD_SECONDS }),
    ];
    const since = at(-20_000, 5);
    assert.equal(fold([since], { settings })?.expectedReadings, 16);
    // Every 600 s, one of them at 9,000 s.
    assert.equal(fold([since, at(9_000, 5)], { settings })?.expectedReadings, 17);
    assert.equal(fold([since], { settings, periodSeconds: PERIOD_SECONDS })?.expectedReadings, 16);
  });

  it('expects readings by the settings of the span alone where no earlier ones are known', () => {
    const settings = [inForce({ from: new Date(at(-5_000, 0).at) })];
    assert.equal(fold([at(-20_000, 5)], { settings })?.expectedReadings, 33);
  });

  it('shows an entry for each time in which bounds were in force, cut to the span, and separately the time without', () => {
    const [first, second, third] = [2_000, 4_000, 6_000].map((seconds) => at(seconds, 0).at);
    const settings = [
      inForce({ to: new Date(first as number) }),
      inForce({ from: new Date(first as number), to: new Date(second as number), profileSlug: 'other' }),
      inForce({ from: new Date(second as number), to: new Date(third as number), highC: 4 }),
      inForce({ from: new Date(third as number), config: null }),
    ];
    const samples = Array.from({ length: 33 }, (_, index) => at(100 + 300 * index, 5));
    const found = fold(samples, { settings });
    assert.deepEqual(found?.alerts, [
      { lowC: 2, highC: 8, severity: 'critical', from: SPAN.from, to: second, secondsOutside: 0 },
      { lowC: 2, highC: 4, severity: 'critical', from: second, to: third, secondsOutside: 2_000 },
    ]);
    assert.deepEqual(found?.withoutBounds, [{ from: third, to: SPAN.to }]);
    assert.deepEqual(fold(samples, { settings: [] })?.withoutBounds, [{ from: at(100, 0).at, to: SPAN.to }]);
    assert.deepEqual(fold([at(-10, 5), ...samples], { settings: [] })?.withoutBounds, [SPAN]);
  });

  it('adds up the time out of bounds for each time of bounds, and looks at few settings for each reading', () => {
    const count = 2_000;
    const stepMs = (SPAN.to - SPAN.from) / count;
    let looks = 0;
    const settings = Array.from({ length: count }, (_, index) => {
      const from = new Date(SPAN.from + index * stepMs);
      const to = new Date(SPAN.from + (index + 1) * stepMs);
      const bounds = { lowC: index / count, highC: index % 2 === 0 ? 8 : 10 };
      return Object.defineProperty({ ...inForce(bounds), to }, 'from', {
        get: () => {
          looks++;
          return from;
        },
      }) as SettingsPeriod;
    });
    const samples = Array.from({ length: 200 }, (_, index) => at(index * 50, 9));
    const alerts = fold(samples, { settings })?.alerts ?? [];
    assert.deepEqual(
      alerts.map(({ secondsOutside }) => secondsOutside),
      settings.map((_, index) => (index % 2 === 0 ? stepMs / SECOND : 0)),
    );
    assert.ok(looks < 10 * count + 100 * samples.length, `${looks}`);
  });

  it('lists a bounded number of gaps, the newest, and counts all', () => {
    const samples = Array.from({ length: 3 * GAPS_MAX }, (_, index) => at(index, 5));
    const found = fold(samples, { settings: [inForce({ measurementPeriodSeconds: 0.25 })] });
    assert.equal(found?.gaps.length, GAPS_MAX);
    assert.ok((found?.gapCount ?? 0) >= 3 * GAPS_MAX);
    assert.equal(found?.gaps.at(-1)?.to, SPAN.to);
  });

  it('separates channels, and types after a change of hardware', () => {
    const folded = createStatisticsFold(OPTIONS);
    const measuredAt = new Date(SPAN.from);
    for (const [channel, type] of [
      [2, 2],
      [1, 1],
      [2, 1],
    ] as const)
      folded.add({ channel, type, value: 50, measuredAt, periodSeconds: null });
    assert.deepEqual(
      folded.result().map((found) => [found.channel, found.type, found.withoutBounds.length]),
      [
        [1, 1, 0],
        [2, 1, 1],
        [2, 2, 0],
      ],
    );
  });
});

describe('The computation of statistics', () => {
  it('ends before its next page when the client has gone', async () => {
    let pages = 0;
    const deps = {
      record: { find: async () => ({ registeredAt: new Date(0), archivedAt: null, measuredChannels: [] }) },
      settings: { list: async () => [] },
      history: {
        lister: () => async () => {
          pages++;
          return Array(pages < 3 ? 2_000 : 0).fill({
            channel: 1,
            type: 1,
            value: 5,
            measuredAt: new Date(SPAN.from),
          });
        },
      },
      pace: (_organizationId: string, piece: () => unknown) => piece(),
      now: () => new Date(SPAN.to),
    };
    const compute = createStatisticsService(deps as never);
    const request = { organizationId: '', assetId: '', from: new Date(SPAN.from), to: new Date(SPAN.to) };
    await assert.rejects(compute({ ...request, isAbandoned: () => pages === 1 }), /has gone/);
    assert.equal(pages, 1);
  });
});

describe('The mean kinetic temperature', () => {
  const kineticOf = (values: number[]): number => {
    const mean = createKineticMean();
    for (const value of values) mean.add(value);
    return mean.result() as number;
  };

  it('equals the literal formula', () => {
    const values = [20, 25, 30, 22.5, 18];
    const ratio = 83.144 / 8.3144e-3;
    const mean = values.reduce((sum, value) => sum + Math.exp(-ratio / (value + 273.15)), 0) / values.length;
    assert.ok(Math.abs(kineticOf(values) - (ratio / -Math.log(mean) - 273.15)) < 1e-9);
  });

  it('equals a constant temperature exactly, down to absolute zero', () => {
    const bounds = { min: -273.2, max: 4_000, noNaN: true };
    fc.assert(
      fc.property(fc.double(bounds), fc.integer({ min: 1, max: 300 }), (value, count) => {
        // Zero has two signs.
        assert.ok(kineticOf(Array<number>(count).fill(value)) === value);
      }),
      {
        examples: [
          [-273.1, 3],
          [-196, 3],
          [4.2, 288],
          [21.3, 3],
        ],
      },
    );
  });

  it('lies between average and maximum, and does not depend on the order', () => {
    const temperatures = fc.array(fc.double({ min: -40, max: 60, noNaN: true }), {
      minLength: 1,
      maxLength: 50,
    });
    fc.assert(
      fc.property(temperatures, (values) => {
        const avg = values.reduce((sum, value) => sum + value, 0) / values.length;
        const kinetic = kineticOf(values);
        assert.ok(kinetic >= avg - 1e-6 && kinetic <= Math.max(...values) + 1e-6, `${kinetic} ${avg}`);
        assert.ok(Math.abs(kinetic - kineticOf(values.toReversed())) < 1e-9);
      }),
    );
  });
});

describe('The curve', () => {
  it('keeps minimum and maximum of each column, and nothing outside of the span', () => {
    fc.assert(
      fc.property(arbitrarySamples, (samples) => {
        const curves = createCurves(SPAN, 10);
        for (const { at: time, value } of samples)
          curves.add({ channel: 1, type: 1, value, measuredAt: new Date(time) });
        const columns = curves.columnsOf(1, 1);
        const width = (SPAN.to - SPAN.from) / 10;
        const seen = new Map<number, number[]>();
        for (const { at: time, value } of samples) {
          if (value === null || time < SPAN.from || time >= SPAN.to) continue;
          const column = Math.floor((time - SPAN.from) / width);
          seen.set(column, [...(seen.get(column) ?? []), value]);
        }
        assert.deepEqual(
          columns,
          [...seen]
            .toSorted(([a], [b]) => a - b)
            .map(([column, values]) => ({ column, min: Math.min(...values), max: Math.max(...values) })),
        );
      }),
    );
  });

  it('joins neighbours, but not over a gap, nor where gaps are unknown', () => {
    const span = { from: 0, to: CURVE_COLUMNS };
    const columns = [10, 20, 30, 40].map((column) => ({ column, min: 1, max: 2 }));
    const joinedOf = (more: Partial<Parameters<typeof joinable>[2]>) =>
      joinable(columns, span, { gaps: [], gapCount: 0, expectedReadings: 4, isState: false, ...more }).map(
        (pair) => pair.map(({ column }) => column),
      );
    assert.deepEqual(joinedOf({}), [
      [10, 20],
      [20, 30],
      [30, 40],
    ]);
    const gaps = [{ from: 24, to: 29 }];
    assert.deepEqual(joinedOf({ gaps, gapCount: 1 }), [
      [10, 20],
      [30, 40],
    ]);
    assert.deepEqual(joinedOf({ gaps, gapCount: 300 }), [[30, 40]]);
    assert.deepEqual(joinedOf({ expectedReadings: null }), []);
  });

  it('joins all neighbours of a state, of which no readings are expected', () => {
    const columns = [10, 400].map((column) => ({ column, min: 0, max: 1 }));
    const channel = { gaps: [], gapCount: 0, expectedReadings: null, isState: true };
    assert.deepEqual(joinable(columns, SPAN, channel), [columns]);
  });
});
