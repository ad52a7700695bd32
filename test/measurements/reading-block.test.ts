import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MEASUREMENT_TYPES, measuredValue } from '../../src/devices/measurement-type.ts';
import type { StoredReading } from '../../src/devices/reading.ts';
import { startOfDay, toBlocks, toReadings } from '../../src/measurements/reading-block.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { SENSOR_FAULT } from './fixtures.ts';

const START = Date.UTC(2026, 2, 2);
const stored = (
  offsetMs: number,
  value: number | null,
  more: Partial<StoredReading> = {},
): StoredReading => ({
  channel: 1,
  type: 1,
  value,
  error: value === null ? SENSOR_FAULT : null,
  late: false,
  measuredAt: new Date(START + offsetMs),
  receivedAt: new Date(START + DAY_MS),
  periodSeconds: null,
  ...more,
});
const byKey = (a: StoredReading, b: StoredReading) =>
  a.measuredAt.getTime() - b.measuredAt.getTime() || a.channel - b.channel;

const values = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -2_732, max: 40_000 }).map((tenths) => tenths / 10),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
  fc.integer(),
);
const readings = fc.uniqueArray(
  fc
    .record({
      offsetMs: fc.oneof(
        fc.integer({ min: 0, max: 40 }).map((step) => step * 300_000),
        fc.integer({ min: -DAY_MS, max: 3 * DAY_MS }),
      ),
      value: values,
      channel: fc.integer({ min: 1, max: 3 }),
      type: fc.constantFrom(1, 2),
      late: fc.boolean(),
      periodSeconds: fc.constantFrom(null, 60, 300),
      receivedAt: fc.integer({ min: 0, max: 400 }).map((hours) => new Date(START + hours * 3_600_000 * 7)),
    })
    .map(({ offsetMs, value, ...more }) => stored(offsetMs, value, more)),
  { selector: ({ measuredAt, channel }) => `${measuredAt.getTime()} ${channel}`, maxLength: 60 },
);

describe('A block of readings', () => {
  it('returns exactly the original readings', () => {
    fc.assert(
      fc.property(readings, (all) => {
        const back = toBlocks(all).flatMap((block) => toReadings(block));
        assert.deepEqual(back.sort(byKey), all.toSorted(byKey));
      }),
    );
  });

  it('holds readings of one channel, type, lateness and UTC day', () => {
    fc.assert(
      fc.property(readings, (all) => {
        for (const block of toBlocks(all)) {
          assert.equal(startOfDay(block.firstAt), startOfDay(block.lastAt));
          for (const { channel, type, late } of toReadings(block)) {
            assert.deepEqual([channel, type, late], [block.channel, block.type, block.late]);
          }
        }
      }),
    );
  });

  it('stores values of a logger as small integers, for each type with tenths or less', () => {
    for (const type of MEASUREMENT_TYPES.filter(({ resolution }) => resolution <= 1)) {
      const raw = [0, 1, -1, 42, 1_234, 9_999];
      const all = raw.map((each, index) =>
        stored(index * 60_000, measuredValue(type, each), { type: type.number }),
      );
      const [block, ...others] = toBlocks(all);
      assert.deepEqual([others, block?.numbers, block?.offsetsMs], [[], null, null], type.name);
    }
  });

  it('needs no array of times for readings at even intervals, and no arrivals for one frame', () => {
    const [block] = toBlocks([0, 1, 2, 3].map((step) => stored(step * 300_000, 4.2)));
    assert.deepEqual([block?.offsetsMs, block?.runLengths, block?.runDelaysMs], [null, null, null]);
    assert.deepEqual(block?.steps, [42, 42, 42, 42]);
  });

  it('stores sensor errors beside values', () => {
    const [block] = toBlocks([stored(0, 4.2), stored(60_000, null), stored(120_000, 4.3)]);
    assert.deepEqual(block?.steps, [42, null, 43]);
    assert.deepEqual(block?.errors, [null, SENSOR_FAULT, null]);
  });
});
