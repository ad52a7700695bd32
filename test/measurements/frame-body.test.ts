/** Readings as they come over HTTP: read by hand, so the tests hold them against what the contract says. */
import assert from 'node:assert/strict';
import { ReadingFault, readingOf } from '../../src/measurements/frame-body.ts';
import {
  MEASUREMENT_TYPES,
  measurementTypeNamed,
  measurementTypeOf,
} from '../../src/measurements/measurement-type.ts';
import { timeOf } from '../../src/process/iso-time.ts';

describe('A sent reading', () => {
  const sent = { channel: 1, type: 'temperature', value: 4.2, measuredAt: '2026-03-02T08:15:30+01:00' };

  it('is read with its type by number and its time in UTC', () => {
    assert.deepEqual(readingOf(sent), {
      channel: 1,
      type: 1,
      value: 4.2,
      error: null,
      measuredAt: new Date('2026-03-02T07:15:30Z'),
    });
  });

  it('is no temperature that a logger could not say', () => {
    for (const value of [-273.2, 4_000]) assert.equal(readingOf({ ...sent, value }).value, value);
    for (const value of [-273.3, 4_000.1])
      assert.throws(() => readingOf({ ...sent, value }), /value must be -273.2 to 4000 °C/);
    assert.equal(readingOf({ ...sent, type: 'resistance', value: 9_999 }).value, 9_999);
  });

  it('is refused when it is not whole, holds anything else, or is no object', () => {
    for (const key of Object.keys(sent)) {
      assert.throws(() => readingOf({ ...sent, [key]: undefined }), new RegExp(key), key);
    }
    for (const bad of [
      { ...sent, error: 1 },
      null,
      [],
      'x',
      1,
      { ...sent, value: Number.POSITIVE_INFINITY },
    ]) {
      assert.throws(() => readingOf(bad), ReadingFault);
    }
    assert.throws(
      () => readingOf(JSON.parse(`{"__proto__":1,${JSON.stringify(sent).slice(1)}`)),
      ReadingFault,
    );
  });

  it('may be of every type but by a position only a temperature', () => {
    for (const { name, number } of MEASUREMENT_TYPES) {
      assert.equal(readingOf({ ...sent, type: name }).type, number);
      const byPosition = () => readingOf({ ...sent, type: name, channel: 'ambient' });
      if (number === 1) assert.equal(byPosition().channel, 'ambient');
      else assert.throws(byPosition, /must be a number/);
    }
  });
});

describe('A time with a zone', () => {
  it('is a moment of the calendar, to the millisecond', () => {
    const good: Record<string, string> = {
      '2026-03-02T08:15Z': '2026-03-02T08:15:00.000Z',
      '2026-03-02T08:15:30.1239Z': '2026-03-02T08:15:30.123Z',
      '2026-03-02T00:15:30-05:30': '2026-03-02T05:45:30.000Z',
      '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
      '2000-02-29T23:59:59Z': '2000-02-29T23:59:59.000Z',
    };
    for (const [text, iso] of Object.entries(good)) assert.equal(timeOf(text)?.toISOString(), iso, text);
  });

  it('is nothing else', () => {
    const bad = [
      '',
      '2026-03-02',
      '2026-03-02T08:15:30',
      '2026-03-02 08:15:30Z',
      '2026-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+24:00',
      '2026-01-01T00:00:00z',
      '1772439330',
      '0000-06-01T00:00:00Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '+002026-01-01T00:00:00Z',
      '2026-01-01T00:00:00Z\n',
    ];
    for (const text of bad) assert.equal(timeOf(text), null, text);
  });
});

describe('The types of measurements', () => {
  it('are found by number and by name, which both are unique', () => {
    for (const type of MEASUREMENT_TYPES) {
      assert.equal(measurementTypeOf(type.number), type);
      assert.equal(measurementTypeNamed(type.name), type);
      assert.match(type.name, /^[a-z0-9_]+$/);
    }
    assert.equal(measurementTypeOf(0), undefined);
    assert.equal(measurementTypeNamed('toString'), undefined);
  });
});
