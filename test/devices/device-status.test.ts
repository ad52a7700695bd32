import assert from 'node:assert/strict';
import { signalStrengthOf, signalStrengthOfDbm } from '../../src/devices/device-status.ts';

describe('The signal strength of a device', () => {
  it('calls a signal good from -85 dBm, fair from -100 dBm, else poor', () => {
    const expected = ['good', 'good', 'fair', 'fair', 'poor', 'poor'];
    assert.deepEqual([63, 25, 24, 10, 9, 1].map(signalStrengthOf), expected);
    assert.deepEqual([-48, -85, -86, -100, -101, -140].map(signalStrengthOfDbm), expected);
  });

  it('calls a signal unknown for numbers that mean none', () => {
    assert.deepEqual([0, 99, 64, 98, -1].map(signalStrengthOf), Array(5).fill('unknown'));
  });
});
