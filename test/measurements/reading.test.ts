/** Which readings count, which are late, and the state of a channel afterwards. */
import assert from 'node:assert/strict';
import { isPlausibleTime } from '../../src/devices/device-clock.ts';
import {
  classifyLateness,
  keyOfReading,
  mergeNewest,
  type Reading,
  resolveChannels,
} from '../../src/devices/reading.ts';
import { HOUR_MS } from '../../src/process/durations.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const hours = (count: number) => new Date(NOW.getTime() + count * HOUR_MS);
const reading = (more: Partial<Reading> = {}): Reading => ({
  channel: 1,
  type: 1,
  value: 4,
  error: null,
  measuredAt: NOW,
  ...more,
});

describe('A reading', () => {
  it('counts a time as plausible from 2015 to a day ahead of the arrival', () => {
    for (const at of ['2015-01-01T00:00:00.000Z', NOW, hours(24)])
      assert.ok(isPlausibleTime(new Date(at), NOW), String(at));
    for (const at of ['2014-12-31T23:59:59.999Z', new Date(hours(24).getTime() + 1), new Date(Number.NaN)]) {
      assert.ok(!isPlausibleTime(new Date(at), NOW), String(at));
    }
  });

  it('identifies a reading by its channel and millisecond alone', () => {
    const keys = [NOW, new Date(NOW.getTime() + 1)].flatMap((measuredAt) =>
      [1, 2, 3, 4, 5, 6].map((channel) => keyOfReading({ channel, measuredAt })),
    );
    assert.equal(new Set(keys).size, 12);
    assert.equal(keyOfReading(reading({ value: 1 })), keyOfReading(reading({ value: 2, type: 2 })));
  });

  it('resolves a position to the channel of the layout, and a number to itself', () => {
    const layout = { model: null, channelTypes: [2, 1, 1, 1, 0, 0] };
    const sent = (['ambient', 'probe', 5] as const).map((channel) => ({ ...reading(), channel }));
    assert.deepEqual(
      resolveChannels(sent, layout).map(({ channel }) => channel),
      [2, 4, 5],
    );
  });

  const lateOf = (readings: Reading[], known: Record<string, number> = {}) =>
    classifyLateness(readings, known, NOW).map(({ late }) => late);

  it('marks a reading late that arrives more than a day late', () => {
    assert.deepEqual(lateOf([reading({ measuredAt: hours(-24) })]), [false]);
    assert.deepEqual(lateOf([reading({ measuredAt: new Date(hours(-24).getTime() - 1) })]), [true]);
  });

  it('marks a reading late that is not newer than the newest of its channel', () => {
    const known = { 1: hours(-2).getTime() };
    const at = (count: number, channel = 1) => reading({ channel, measuredAt: hours(count) });
    assert.deepEqual(lateOf([at(-3), at(-2), at(-1), at(-3, 2)], known), [true, true, false, false]);
  });

  it('marks no reading late because of another one of its frame', () => {
    assert.deepEqual(lateOf([-1, -3, -2].map((count) => reading({ measuredAt: hours(count) }))), [
      false,
      false,
      false,
    ]);
  });

  it('moves the newest time of a channel forward, never back, and not for sensor errors', () => {
    const known = { 1: hours(-2).getTime(), 3: hours(-1).getTime() };
    const readings = [
      reading({ measuredAt: hours(-1) }),
      reading({ measuredAt: hours(-5) }),
      reading({ channel: 2, measuredAt: hours(-9) }),
      reading({ channel: 3, measuredAt: hours(-2) }),
      reading({ channel: 1, measuredAt: hours(0), value: null, error: 8_388_557 }),
    ];
    assert.deepEqual(mergeNewest(known, readings), {
      1: hours(-1).getTime(),
      2: hours(-9).getTime(),
      3: hours(-1).getTime(),
    });
    assert.deepEqual(known, { 1: hours(-2).getTime(), 3: hours(-1).getTime() });
  });
});
