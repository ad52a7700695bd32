/** Readings around late ones, and the next sample after them, however far away it is. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import type { StoredReading } from '../devices/reading.ts';
import { type BlockRow, blockOf } from './block-columns.ts';
import { FIND_SURROUNDING, SURROUNDING_BLOCKS_MAX } from './history.statements.ts';
import { toReadings } from './reading-block.ts';

/** Unix milliseconds, both inclusive. */
export interface SurroundingRange extends AssetRef {
  channel: number;
  from: number;
  to: number;
  /** Whether samples after `to` may be stored. */
  hasNext: boolean;
}

/** All readings of a channel between two moments. */
export interface SurroundingReadings {
  /** Unix milliseconds, both inclusive. */
  from: number;
  to: number;
  /** Oldest first. */
  readings: StoredReading[];
}

export type SurroundingReadingsRepository = ReturnType<typeof createSurroundingReadingsRepository>;

/** Of all devices of a call, some 300 bytes each: of a single one, three days of a channel that measures each second. */
const READINGS_MAX = 300_000;

export const createSurroundingReadingsRepository = (sql: Sql, readingsMax = READINGS_MAX) => ({
  /**
   * Temperatures, for each range in the order given: where a device has more than its share of the maximum, only the last
   * ones.
   */
  async find(ranges: readonly SurroundingRange[]): Promise<SurroundingReadings[]> {
    if (ranges.length === 0) return [];
    const shareMax = Math.floor(readingsMax / new Set(ranges.map(({ assetId }) => assetId)).size);
    const rows = await queryPrepared<Row>(sql, 'measurements_find_surrounding', FIND_SURROUNDING, {
      ...assetKeys(ranges),
      channels: toArrayText(ranges, ({ channel }) => channel),
      from: toArrayText(ranges, ({ from }) => new Date(from).toISOString()),
      to: toArrayText(ranges, ({ to }) => new Date(to).toISOString()),
      haveNext: toArrayText(ranges, ({ hasNext }) => hasNext),
      indexes: toArrayText([...ranges.keys()], (index) => index),
      readingsMax: shareMax,
    });
    const byRange = ranges.map((): Row[] => []);
    for (const row of rows) byRange[row.index]?.push(row);
    return ranges.map((range, index) => toSurrounding(range, byRange[index] as Row[], shareMax));
  },
});

interface Row extends BlockRow {
  index: number;
  /** Unix milliseconds: the next sample is no later. */
  until: number;
  /** Number of readings of the device up to this block, which is the earliest of them. */
  total: number;
}

function toSurrounding(
  { from, to }: SurroundingRange,
  rows: Row[],
  readingsMax: number,
): SurroundingReadings {
  const until = Math.max(to, ...rows.map((row) => Math.round(row.until)));
  const earliest = rows.at(-1);
  const isCut = rows.length >= SURROUNDING_BLOCKS_MAX || (earliest?.total ?? 0) > readingsMax;
  const first = earliest && isCut ? Math.max(from, Math.round(earliest.lastAt) + 1) : from;
  const readings = rows.flatMap((row) => toReadings(blockOf(row), (at) => at >= first && at <= until));
  return {
    from: first,
    to: until,
    readings: readings.sort((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime()),
  };
}
