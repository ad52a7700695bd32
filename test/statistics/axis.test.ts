/** Ticks of charts, and times in records. */
import assert from 'node:assert/strict';
import { timeTicks, valueTicks } from '../../src/statistics/axis.ts';
import { clockOf } from '../../src/statistics/record-text.ts';

const STOCKHOLM = 'Europe/Stockholm';
const span = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const shown = (from: string, to: string, timezone: string) =>
  timeTicks(span(from, to), timezone, 5).map(({ at, label }) => [new Date(at).toISOString(), label]);

describe('A time in a record', () => {
  it('has its offset where the clock shows it twice', () => {
    const shown = (timezone: string, ...times: string[]) =>
      times.map((time) => clockOf(timezone)(Date.parse(`2026-${time}:00Z`)));
    assert.deepEqual(
      shown(STOCKHOLM, '10-24T23:59', '10-25T00:50', '10-25T01:10', '10-25T02:00', '03-29T01:00'),
      [
        '2026-10-25 01:59:00',
        '2026-10-25 02:50:00 UTC+02:00',
        '2026-10-25 02:10:00 UTC+01:00',
        '2026-10-25 03:00:00',
        '2026-03-29 03:00:00',
      ],
    );
    assert.deepEqual(
      shown('Australia/Lord_Howe', '04-04T14:29', '04-04T14:30', '04-04T15:29', '04-04T15:30'),
      [
        '2026-04-05 01:29:00',
        '2026-04-05 01:30:00 UTC+11:00',
        '2026-04-05 01:59:00 UTC+10:30',
        '2026-04-05 02:00:00',
      ],
    );
    assert.deepEqual(shown('Antarctica/Troll', '10-24T22:59', '10-25T00:30', '10-25T02:30', '10-25T03:00'), [
      '2026-10-25 00:59:00',
      '2026-10-25 02:30:00 UTC+02:00',
      '2026-10-25 02:30:00 UTC+00:00',
      '2026-10-25 03:00:00',
    ]);
  });
});

describe('An axis', () => {
  it('puts ticks at round values within the range', () => {
    const labels = (low: number, high: number) => valueTicks(low, high, 5).map(({ label }) => label);
    assert.deepEqual(labels(1.3, 8.9), ['2', '4', '6', '8']);
    assert.deepEqual(labels(-25, -15), ['-24', '-22', '-20', '-18', '-16']);
    assert.deepEqual(labels(5.02, 5.31), ['5.1', '5.2', '5.3']);
    assert.deepEqual(labels(-0.4, 0.4), ['-0.4', '-0.2', '0.0', '0.2', '0.4']);
    assert.deepEqual(labels(5, 5), ['5']);
  });

  it('puts ticks at round times on the clocks of the zone', () => {
    assert.deepEqual(shown('2026-03-02T08:10:00Z', '2026-03-02T20:10:00Z', STOCKHOLM), [
      ['2026-03-02T11:00:00.000Z', '2026-03-02 12:00'],
      ['2026-03-02T14:00:00.000Z', '2026-03-02 15:00'],
      ['2026-03-02T17:00:00.000Z', '2026-03-02 18:00'],
      ['2026-03-02T20:00:00.000Z', '2026-03-02 21:00'],
    ]);
    assert.deepEqual(shown('2026-03-02T00:00:00Z', '2026-03-02T01:00:00Z', 'Asia/Kolkata')[0], [
      '2026-03-02T00:00:00.000Z',
      '2026-03-02 05:30',
    ]);
  });

  it('keeps ticks at midnight when the clocks change', () => {
    assert.deepEqual(shown('2026-03-27T12:00:00Z', '2026-03-31T12:00:00Z', STOCKHOLM), [
      ['2026-03-27T23:00:00.000Z', '2026-03-28'],
      ['2026-03-28T23:00:00.000Z', '2026-03-29'],
      ['2026-03-29T22:00:00.000Z', '2026-03-30'],
      ['2026-03-30T22:00:00.000Z', '2026-03-31'],
    ]);
  });

  it('puts few ticks on a span of any length', () => {
    const from = Date.parse('2026-01-01T00:07:00Z');
    for (let ms = 1_000; ms <= 400 * 86_400_000; ms *= 1.7) {
      const { length } = timeTicks({ from, to: from + ms }, STOCKHOLM, 5);
      assert.ok(length <= 6 && (ms < 60_000 || length >= 1), `${length} in ${ms} ms`);
    }
  });
});
