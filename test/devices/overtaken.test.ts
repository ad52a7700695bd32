import assert from 'node:assert/strict';
import { isOvertaken } from '../../src/devices/device-clock.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 8) + seconds * 1_000);

describe('Whether a message was overtaken', () => {
  const overtaken = (
    received: number,
    { last, now }: { last: number | null; now: number },
    isAbandoned = false,
  ) => isOvertaken({ receivedAt: at(received), isAbandoned }, last === null ? null : at(last), at(now));

  it('compares the arrivals of messages that have waited', () => {
    assert.equal(overtaken(10, { last: 20, now: 30 }), true);
    assert.equal(overtaken(10, { last: 10, now: 30 }), false);
    assert.equal(overtaken(10, { last: 5, now: 30 }), false);
    assert.equal(overtaken(10, { last: null, now: 30 }), false);
  });

  it('takes messages that arrive together as they come', () => {
    assert.equal(overtaken(10, { last: 10.9, now: 30 }), false);
    assert.equal(overtaken(10, { last: 11.1, now: 30 }), true);
  });

  it('lets clocks of processes differ, and the clock of the database be set back by any time', () => {
    assert.equal(overtaken(10, { last: 10.9, now: 10.1 }), false);
    assert.equal(overtaken(10, { last: 3_600, now: 10.1 }), false);
  });

  it('assumes that an abandoned message was sent up to two minutes before it was read', () => {
    assert.equal(overtaken(300, { last: 182, now: 300 }, true), true);
    assert.equal(overtaken(300, { last: 180, now: 300 }, true), false);
    assert.equal(overtaken(300, { last: null, now: 300 }, true), false);
  });
});
