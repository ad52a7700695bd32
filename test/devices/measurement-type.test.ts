import assert from 'node:assert/strict';
import {
  MEASUREMENT_TYPES,
  measurementTypeNamed,
  measurementTypeOf,
} from '../../src/devices/measurement-type.ts';

describe('The types of measurements', () => {
  it('finds each type by its unique number and its unique name', () => {
    for (const type of MEASUREMENT_TYPES) {
      assert.equal(measurementTypeOf(type.number), type);
      assert.equal(measurementTypeNamed(type.name), type);
      assert.match(type.name, /^[a-z0-9_]+$/);
    }
    assert.equal(measurementTypeOf(0), undefined);
    assert.equal(measurementTypeNamed('toString'), undefined);
  });
});
