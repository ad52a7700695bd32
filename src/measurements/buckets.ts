/**
 * Readings summarized by channel and time, as drawn in curves. Counts late readings, but not sensor errors.
 */
import { CHANNELS_MAX, type Layout, positionOf } from '../devices/device-capabilities.ts';
import { typeView } from '../devices/measurement-type.ts';
import { invalid } from '../process/errors.ts';
import { csvHeaderOf, csvLineOf } from './history.ts';
import type { SampleBlock } from './reading-block.ts';

/** In milliseconds. All divide a day, so that each bucket is within one UTC day. */
export const RESOLUTIONS = { '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
export type Resolution = keyof typeof RESOLUTIONS;

export interface Bucket {
  fromMs: number;
  channel: number;
  type: number;
  min: number;
  max: number;
  sum: number;
  count: number;
}

/** Unix milliseconds: inclusive start, exclusive end. */
export type Window = readonly [fromMs: number, beforeMs: number];

export function createBuckets(sizeMs: number) {
  const open = new Map<number, Bucket>();

  function bucketAt(atMs: number, { channel, type }: SampleBlock): Bucket {
    const fromMs = Math.floor(atMs / sizeMs) * sizeMs;
    const key = keyOf({ fromMs, channel, type });
    const known = open.get(key);
    if (known) return known;
    const bucket = { fromMs, channel, type, min: Infinity, max: -Infinity, sum: 0, count: 0 };
    open.set(key, bucket);
    return bucket;
  }

  /** Avoids intermediate arrays of times and values, because a year of a device has 100,000 of them. */
  function addBlock(block: SampleBlock, [fromMs, beforeMs]: Window): void {
    const { firstAt, lastAt, steps, numbers, offsetsMs } = block;
    const values = steps ?? numbers ?? [];
    const factor = steps ? 10 ** block.scale : 1;
    const periodMs = values.length > 1 ? (lastAt - firstAt) / (values.length - 1) : 0;
    let bucket: Bucket | null = null;
    let endMs = 0;
    for (let index = 0; index < values.length; index++) {
      const value = values[index] as number | null;
      const atMs = firstAt + (offsetsMs ? (offsetsMs[index] as number) : index * periodMs);
      if (value === null || atMs < fromMs || atMs >= beforeMs) continue;
      if (!bucket || atMs >= endMs) {
        bucket = bucketAt(atMs, block);
        endMs = bucket.fromMs + sizeMs;
      }
      addValue(bucket, value / factor);
    }
  }

  return {
    /** Adds the readings of the blocks within the window. The windows of two calls do not overlap. */
    add(blocks: readonly SampleBlock[], window: Window): void {
      for (const block of blocks) addBlock(block, window);
    },

    /** Removes and returns buckets that begin at this time or later, the newest first, then by channel. */
    takeFrom(fromMs: number): Bucket[] {
      const taken = [...open].filter(([, bucket]) => bucket.fromMs >= fromMs);
      for (const [key] of taken) open.delete(key);
      return taken.map(([, bucket]) => bucket).sort(byPosition);
    },
  };
}

const keyOf = ({ fromMs, channel, type }: BucketPosition): number =>
  (fromMs / 60_000) * 4_096 + channel * 512 + type;

function addValue(bucket: Bucket, value: number): void {
  if (value < bucket.min) bucket.min = value;
  if (value > bucket.max) bucket.max = value;
  bucket.sum += value;
  bucket.count++;
}

export type BucketPosition = Pick<Bucket, 'fromMs' | 'channel' | 'type'>;

/** The order of pages. */
export const byPosition = (a: BucketPosition, b: BucketPosition): number =>
  b.fromMs - a.fromMs || a.channel - b.channel || a.type - b.type;

export function bucketView({ fromMs, channel, type, min, max, sum, count }: Bucket, layout: Layout) {
  return {
    channel,
    position: positionOf(channel, type, layout),
    ...typeView(type),
    from: new Date(fromMs).toISOString(),
    min,
    // The sum of decimal numbers is inexact in its last digits.
    avg: Number((sum / count).toPrecision(12)),
    max,
    count,
  };
}

const COLUMNS = ['channel', 'position', 'type', 'unit', 'from', 'min', 'avg', 'max', 'count'] as const;

export const BUCKETS_CSV_HEADER = csvHeaderOf(COLUMNS);

export const bucketCsvLine = (bucket: Bucket, layout: Layout): string =>
  csvLineOf(COLUMNS, bucketView(bucket, layout));

export const toBucketCursor = ({ fromMs, channel, type }: BucketPosition): string =>
  Buffer.from(`${fromMs}.${channel}.${type}`).toString('base64url');

const CURSOR = /^(\d{1,13})\.(\d)\.(\d{1,3})$/;

export function parseBucketCursor(cursor: string): BucketPosition {
  const [, ...parts] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const [fromMs = Number.NaN, channel = 0, type = 0] = parts.map(Number);
  const last = { fromMs, channel, type };
  if (channel >= 1 && channel <= CHANNELS_MAX && toBucketCursor(last) === cursor) return last;
  throw invalid('cursor must be the nextCursor of an earlier page with the same resolution');
}
