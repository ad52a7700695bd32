/** Readings over HTTP, which are validated by hand-written code. */
import assert from 'node:assert/strict';
import { MEASUREMENT_TYPES } from '../../src/devices/measurement-type.ts';
import { parseReading, ReadingFault } from '../../src/measurements/frame-body.ts';

describe('A sent reading', () => {
  const sent = { channel: 1, type: 'temperature', value: 4.2, measuredAt: '2026-03-02T08:15:30+01:00' };

  it('parses a reading to the number of its type and its time in UTC', () => {
    assert.deepEqual(parseReading(sent), {
      channel: 1,
      type: 1,
      value: 4.2,
      error: null,
      measuredAt: new Date('2026-03-02T07:15:30Z'),
    });
  });

  it('refuses a temperature that no logger can measure', () => {
    for (const value of [-273.2, 4_000]) assert.equal(parseReading({ ...sent, value }).value, value);
    for (const value of [-273.3, 4_000.1])
      assert.throws(() => parseReading({ ...sent, value }), /value must be -273.2 to 4000 °C/);
    assert.equal(parseReading({ ...sent, type: 'resistance', value: 9_999 }).value, 9_999);
  });

  it('refuses a value outside of the range of any type, and names the range', () => {
    for (const { name, range, resolution, unit } of MEASUREMENT_TYPES) {
      if (!range) continue;
      const [min, max] = range;
      for (const value of range) assert.equal(parseReading({ ...sent, type: name, value }).value, value);
      for (const value of [min - resolution, max + resolution])
        assert.throws(
          () => parseReading({ ...sent, type: name, value }),
          ({ message }: Error) => message === `.value must be ${min} to ${max} ${unit}`,
          name,
        );
    }
  });

  it('refuses a state other than 0 and 1', () => {
    for (const { name } of MEASUREMENT_TYPES.filter(({ kind }) => kind === 'binary')) {
      for (const value of [0, 1]) assert.equal(parseReading({ ...sent, type: name, value }).value, value);
      for (const value of [0.5, 2, -1])
        assert.throws(() => parseReading({ ...sent, type: name, value }), /value must be 0 or 1/, name);
    }
  });

  it('refuses a reading with a missing, unknown or infinite field, and anything but an object', () => {
    for (const key of Object.keys(sent)) {
      assert.throws(() => parseReading({ ...sent, [key]: undefined }), new RegExp(key), key);
    }
    for (const bad of [
      { ...sent, error: 1 },
      null,
      [],
      'x',
      1,
      { ...sent, value: Number.POSITIVE_INFINITY },
    ]) {
      assert.throws(() => parseReading(bad), ReadingFault);
    }
    assert.throws(
      () => parseReading(JSON.parse(`{"__proto__":1,${JSON.stringify(sent).slice(1)}`)),
      ReadingFault,
    );
  });

  it('accepts a reading of any type, and a position only for a temperature', () => {
    for (const { name, number, range } of MEASUREMENT_TYPES) {
      const value = range?.[0] ?? 1;
      assert.equal(parseReading({ ...sent, type: name, value }).type, number);
      const byPosition = () => parseReading({ ...sent, type: name, value, channel: 'ambient' });
      if (number === 1) assert.equal(byPosition().channel, 'ambient');
      else assert.throws(byPosition, /must be a number/);
    }
  });
});
