import assert from 'node:assert/strict';
import fc from 'fast-check';
import { keyOfReading, type StoredReading } from '../../src/devices/reading.ts';
import { newestReadings } from '../../src/measurements/newest-readings.ts';
import { type ReadingBlock, toBlocks } from '../../src/measurements/reading-block.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

const START = Date.UTC(2026, 2, 2, 22);

/** Around midnight, several channels at the same time, in frames that overlap. */
const frames = fc
  .uniqueArray(
    fc.record({
      minute: fc.integer({ min: 0, max: 240 }),
      channel: fc.integer({ min: 1, max: 4 }),
      frame: fc.integer({ min: 1, max: 6 }),
    }),
    { selector: ({ minute, channel }) => minute * 10 + channel, maxLength: 80 },
  )
  .map((all) =>
    all.map(({ minute, channel, frame }): StoredReading & { frame: number } => ({
      channel,
      type: 1,
      value: minute,
      error: null,
      late: false,
      measuredAt: new Date(START + minute * MINUTE_MS),
      receivedAt: new Date(START),
      periodSeconds: null,
      frame,
    })),
  );
const filters = fc.record({
  from: fc.option(fc.integer({ min: 0, max: 240 })),
  to: fc.option(fc.integer({ min: 0, max: 240 })),
  before: fc.option(
    fc.record({ minute: fc.integer({ min: 0, max: 240 }), channel: fc.integer({ min: 1, max: 4 }) }),
  ),
  limit: fc.integer({ min: 1, max: 20 }),
});
const minuteToDate = (minute: number | null) =>
  minute === null ? null : new Date(START + minute * MINUTE_MS);

const reading = (atMs: number): StoredReading => ({
  channel: 1,
  type: 1,
  value: 1,
  error: null,
  late: false,
  measuredAt: new Date(atMs),
  receivedAt: new Date(START),
  periodSeconds: null,
});

describe('The newest readings of blocks', () => {
  it('returns the newest of all readings in order, or leaves them undecided, for any number of blocks read', () => {
    fc.assert(
      fc.property(
        frames,
        filters,
        fc.integer({ min: 1, max: 40 }),
        (all, { limit, ...bounds }, blocksMax) => {
          const [from, to] = [minuteToDate(bounds.from), minuteToDate(bounds.to)];
          const before = bounds.before && {
            channel: bounds.before.channel,
            measuredAt: minuteToDate(bounds.before.minute) as Date,
          };
          const sorted = [1, 2, 3, 4, 5, 6]
            .flatMap((frame) => toBlocks(all.filter((each) => each.frame === frame)))
            .sort((a, b) => b.lastAt - a.lastAt);
          const blocks = sorted.slice(0, blocksMax);
          const isCut = blocks.length === blocksMax;
          const found = newestReadings({ blocks, isCut }, { from, to, before, limit });
          if (found === null) {
            assert.ok(isCut);
            return;
          }
          const expected = all
            .filter(({ measuredAt }) => (!from || measuredAt >= from) && (!to || measuredAt < to))
            .map(keyOfReading)
            .filter((key) => !before || key < keyOfReading(before))
            .sort((a, b) => b - a);
          assert.deepEqual(found.map(keyOfReading), expected.slice(0, limit));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('makes about as many readings as a page takes of any number of blocks that overlap', () => {
    let made = 0;
    const errors = new Proxy<null[]>([], {
      get: () => {
        made++;
        return null;
      },
    });
    const perBlock = 100;
    const blocks = Array.from({ length: 300 }, (_, index) => {
      const lastAt = START - index;
      const steps = new Array<number>(perBlock).fill(1);
      const [block] = toBlocks([reading(lastAt)]);
      return {
        ...block,
        firstAt: lastAt - (perBlock - 1) * MINUTE_MS,
        lastAt,
        steps,
        errors,
      } as ReadingBlock;
    });
    const filter = { from: null, to: new Date(START - 50 * MINUTE_MS), before: null, limit: 10 };
    const found = newestReadings({ blocks, isCut: false }, filter);
    const newest = START - 50 * MINUTE_MS - 1;
    assert.deepEqual(
      found?.map(({ measuredAt }) => newest - measuredAt.getTime()),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    assert.ok(made < 1_000, `${made} readings of ${blocks.length} blocks`);
  });
});
