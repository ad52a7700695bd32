/** The curve of a device: gaps and bounds by the settings that were in force. */
import assert from 'node:assert/strict';
import { boundsOf, type CurveSettings, curveView, gapsOf } from '../../src/operator/curve.ts';

const HOUR = 3_600;
const FRIDGE = [{ channel: 1, lowC: 2, highC: 8 }];
const FREEZER = [{ channel: 1, lowC: -25, highC: -15 }];
/** Hourly until 10:00, then every five minutes. */
const SETTINGS: CurveSettings[] = [
  { from: 10 * HOUR, to: null, periodS: 300, alerts: FREEZER },
  { from: 0, to: 10 * HOUR, periodS: HOUR, alerts: FRIDGE },
];
const hourly = (count: number) => Array.from({ length: count }, (_, hour) => hour * HOUR);
const gaps = (times: number[], settings = SETTINGS, endS = 10 * HOUR + 300) =>
  gapsOf(times, { settings, bucketS: 300, endS });

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
    assert.deepEqual(viewAt(1_200).curves[0]?.gaps, [{ from: 300, to: 1_200 }]);
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
