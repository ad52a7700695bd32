/** Buckets of blocks of readings, compared with the readings one by one. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StoredReading } from '../../src/devices/reading.ts';
import { walkBuckets } from '../../src/measurements/bucket-walk.ts';
import { type Bucket, createBuckets } from '../../src/measurements/buckets.ts';
import type { BlockFilter, HistoryScope } from '../../src/measurements/history.repository.ts';
import { type SampleBlock, toBlocks, toReadings } from '../../src/measurements/reading-block.ts';
import { DAY_MS, HOUR_MS } from '../../src/process/durations.ts';

const START = Date.UTC(2026, 2, 1);

const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -400, max: 400 }).map((tenths) => tenths / 10) },
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.constant(null),
);
const readings = fc
  .uniqueArray(
    fc.record({ atMs: fc.integer({ min: 0, max: 3 * 24 * HOUR_MS }), value, late: fc.boolean() }),
    {
      selector: ({ atMs }) => atMs,
      maxLength: 100,
    },
  )
  .map((list) => list.map(toReading));

const toReading = ({
  atMs,
  value,
  late,
}: {
  atMs: number;
  value: number | null;
  late: boolean;
}): StoredReading => ({
  channel: 1 + (atMs % 2),
  type: 1,
  value,
  error: value === null ? 1 : null,
  measuredAt: new Date(START + atMs),
  receivedAt: new Date(START),
  late,
  periodSeconds: null,
});

describe('Buckets', () => {
  it('computes the exact sums, counts, minima and maxima of the readings of their blocks within the window', () => {
    const hours = fc.integer({ min: 0, max: 80 });
    fc.assert(
      fc.property(readings, hours, hours, (stored, first, length) => {
        const window = [START + first * HOUR_MS + 7, START + (first + length) * HOUR_MS] as const;
        const blocks = toBlocks(stored);
        const buckets = createBuckets(HOUR_MS);
        buckets.add(blocks, window);
        assert.deepEqual(
          buckets.takeFrom(0),
          sumUp(
            blocks.flatMap((block) => toReadings(block)),
            window,
          ),
        );
      }),
    );
  });

  it('reads a day a few times at most, however many of its blocks overlap', async () => {
    const perBlock = 10;
    const blocks = Array.from({ length: 3_000 }, (_, index): SampleBlock => {
      const lastAt = START + DAY_MS - 1 - index;
      const steps = new Array<number>(perBlock).fill(1);
      const firstAt = lastAt - (perBlock - 1) * 2 * HOUR_MS;
      return { channel: 1, type: 1, firstAt, lastAt, scale: 0, steps, numbers: null, offsetsMs: null };
    });
    let reads = 0;
    const listSamples = async (_scope: HistoryScope, { from, to }: BlockFilter, blocksMax: number) => {
      reads++;
      return blocks
        .filter(
          ({ firstAt, lastAt }) => (!from || lastAt >= from.getTime()) && (!to || firstAt < to.getTime()),
        )
        .slice(0, blocksMax);
    };
    const filter = { from: null, to: null, channel: null, sizeMs: DAY_MS, wanted: null, after: null };
    const buckets: Bucket[] = [];
    for await (const some of walkBuckets({ listSamples }, {} as HistoryScope, filter)) buckets.push(...some);
    assert.deepEqual(
      buckets.map(({ fromMs, count }) => [fromMs, count]),
      [[START, blocks.length * perBlock]],
    );
    assert.ok(reads <= 40, `${reads} reads`);
  });
});

function sumUp(list: StoredReading[], [fromMs, beforeMs]: readonly [number, number]): Bucket[] {
  const sums = new Map<string, Bucket>();
  for (const { channel, type, value, measuredAt } of list) {
    const atMs = measuredAt.getTime();
    if (value === null || atMs < fromMs || atMs >= beforeMs) continue;
    const hourMs = atMs - (atMs % HOUR_MS);
    const key = `${hourMs} ${channel}`;
    const { min, max, sum, count } = sums.get(key) ?? { min: value, max: value, sum: 0, count: 0 };
    sums.set(key, {
      fromMs: hourMs,
      channel,
      type,
      min: Math.min(min, value),
      max: Math.max(max, value),
      sum: sum + value,
      count: count + 1,
    });
  }
  return [...sums.values()].sort((a, b) => b.fromMs - a.fromMs || a.channel - b.channel);
}
