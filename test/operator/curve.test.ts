/** The curve of a device: gaps and bounds by the settings that were in force. */
import assert from 'node:assert/strict';
import { boundsOf, type CurveSettings, curveView, gapsOf } from '../../src/operator/curve.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const FRIDGE = [{ channel: 1, lowC: 2, highC: 8 }];
const FREEZER = [{ channel: 1, lowC: -25, highC: -15 }];
/** Hourly until 10:00, then every five minutes. */
const SETTINGS: CurveSettings[] = [
  { from: 10 * HOUR, to: null, periodS: 300, alerts: FREEZER },
  { from: 0, to: 10 * HOUR, periodS: HOUR, alerts: FRIDGE },
];
const hourly = (count: number) => Array.from({ length: count }, (_, hour) => hour * HOUR);
const gaps = (times: number[], settings = SETTINGS, endS = 10 * HOUR + 300) =>
  gapsOf({ times, type: 'temperature' }, { settings, bucketS: 0, endS });

describe('The gaps of a curve', () => {
  it('finds no gap in an hourly record of a device that measures more often since', () => {
    assert.deepEqual(gaps(hourly(11)), []);
  });

  it('finds gaps by the larger of the periods at both ends', () => {
    assert.deepEqual(gaps([0, HOUR, 3.5 * HOUR, 5 * HOUR], SETTINGS, 6 * HOUR), [
      { from: HOUR, to: 3.5 * HOUR },
    ]);
    assert.deepEqual(gaps([10 * HOUR], SETTINGS, 10 * HOUR + 601), [
      { from: 10 * HOUR, to: 10 * HOUR + 601 },
    ]);
  });

  it('finds gaps by the usual distance without a known period', () => {
    assert.deepEqual(gaps([...hourly(5), 8 * HOUR], [], 9 * HOUR), [{ from: 4 * HOUR, to: 8 * HOUR }]);
  });

  it('begins a gap where the last bucket with values ends, and finds none in an empty bucket of less than two periods', () => {
    const daily = (periodS: number | null, times: number[]) =>
      gapsOf(
        { times, type: 'temperature' },
        {
          settings: [{ from: 0, to: null, periodS, alerts: [] }],
          bucketS: DAY,
          endS: (times.at(-1) as number) + DAY,
        },
      );
    assert.deepEqual(daily(300, [0, DAY, 3 * DAY]), [{ from: 2 * DAY, to: 3 * DAY }]);
    assert.deepEqual(daily(DAY, [0, 2 * DAY, 6 * DAY]), [{ from: 3 * DAY, to: 6 * DAY }]);
    const days = [0, 1, 2, 3, 5, 8, 9].map((day) => day * DAY);
    assert.deepEqual(daily(null, days), [{ from: 6 * DAY, to: 8 * DAY }]);
  });

  it('finds no gap in a state, which holds until it changes', () => {
    const options = { settings: SETTINGS, bucketS: 0, endS: 20 * HOUR };
    assert.deepEqual(gapsOf({ times: hourly(12), type: 'flooding' }, options), []);
  });
});

describe('A curve whose span ends in the future', () => {
  it('ends its gaps at the present', () => {
    const curve = { channel: 1, position: null, type: 'temperature', unit: '°C' };
    const values = { times: [0, 300], min: [5, 5], avg: [5, 5], max: [5, 5] };
    const viewAt = (knownUntil: number) =>
      curveView({
        curves: [{ ...curve, ...values }],
        settings: [],
        bucketS: 300,
        from: 0,
        to: HOUR,
        knownUntil,
        alerts: [],
        changes: [],
        mutes: [],
        notes: [],
      });
    assert.deepEqual(viewAt(600).curves[0]?.gaps, []);
    const [found] = viewAt(1_200).curves;
    assert.deepEqual(found?.gaps, [{ from: 600, to: 1_200 }]);
    assert.deepEqual(
      [found?.times, found?.avg],
      [
        [0, 300, 601],
        [5, 5, null],
      ],
    );
  });
});

describe('The bounds of a curve', () => {
  it('shows each bound for the time in which it was in force, on temperatures of its channel alone', () => {
    const of = (channel: number, type: string) => boundsOf(SETTINGS, { channel, type }, 12 * HOUR);
    assert.deepEqual(of(1, 'temperature'), [
      { from: 10 * HOUR, to: 12 * HOUR, lowC: -25, highC: -15 },
      { from: 0, to: 10 * HOUR, lowC: 2, highC: 8 },
    ]);
    assert.deepEqual([of(2, 'temperature'), of(1, 'humidity')], [[], []]);
  });
});
