/** The readings around those that came late, and the next sample after them, however far away it is. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { TEMPERATURE } from '../devices/channel-layout.ts';
import { BLOCK_FIELDS, type BlockRow, blockOf, SPANS } from './block-columns.ts';
import type { StoredReading } from './reading.ts';
import { toReadings } from './reading-block.ts';

/** Unix milliseconds, both included. */
export interface SurroundingRange extends AssetRef {
  channel: number;
  from: number;
  to: number;
  /** Samples after `to` may be stored. */
  hasNext: boolean;
}

/** All readings of a channel between two moments. */
export interface SurroundingReadings {
  /** Unix milliseconds, both included. */
  from: number;
  to: number;
  /** Oldest first. */
  readings: StoredReading[];
}

/** More than loggers store in such a range, however long they were out of reach. */
const BLOCKS_MAX = 5_000;

export type SurroundingReadingsRepository = ReturnType<typeof createSurroundingReadingsRepository>;

export const createSurroundingReadingsRepository = (sql: Sql) => ({
  /** Temperatures, for each range in the order given: where it has too many, those at its end. */
  async find(ranges: readonly SurroundingRange[]): Promise<SurroundingReadings[]> {
    if (ranges.length === 0) return [];
    const rows = await queryPrepared<Row>(sql, 'measurements_find_surrounding', FIND, [
      toArrayText(ranges, ({ organizationId }) => organizationId),
      toArrayText(ranges, ({ assetId }) => assetId),
      toArrayText(ranges, ({ channel }) => channel),
      toArrayText(ranges, ({ from }) => new Date(from).toISOString()),
      toArrayText(ranges, ({ to }) => new Date(to).toISOString()),
      toArrayText(ranges, ({ hasNext }) => hasNext),
      toArrayText([...ranges.keys()], (index) => index),
    ]);
    const byRange = ranges.map((): Row[] => []);
    for (const row of rows) byRange[row.index]?.push(row);
    return ranges.map((range, index) => toSurrounding(range, byRange[index] as Row[]));
  },
});

interface Row extends BlockRow {
  index: number;
  /** Unix milliseconds: the next sample is no later. */
  until: number;
}

/** A next sample is no later than the end of the block that ends first, of those that hold one. */
const FIND = `select b.index, extract(epoch from b.until)::float8 * 1000 as until, ${BLOCK_FIELDS}
  from (
    select n.index, next.until, stored.*
    from unnest(?::uuid[], ?::uuid[], ?::smallint[], ?::timestamptz[], ?::timestamptz[], ?::boolean[], ?::integer[])
      as n (organization_id, asset_id, channel, from_at, to_at, has_next, index)
    cross join lateral (
      select coalesce(min(found.last_at), n.to_at) as until from ${SPANS}
      cross join lateral (
        select last_at from measurement_blocks
        where organization_id = n.organization_id and asset_id = n.asset_id and span_minutes = span.minutes
          and channel = n.channel and type = ${TEMPERATURE} and last_at > n.to_at and n.has_next
          and array_remove(coalesce(steps::double precision[], numbers), null) <> '{}'
        order by last_at limit 1
      ) as found
    ) as next
    cross join lateral (
      select b.* from ${SPANS}
      cross join lateral (
        select first_at, last_at, received_at, channel, type, scale, late, steps, numbers, errors, offsets_ms,
          run_lengths, run_delays_ms, period_seconds
        from measurement_blocks
        where organization_id = n.organization_id and asset_id = n.asset_id and span_minutes = span.minutes
          and channel = n.channel and type = ${TEMPERATURE} and last_at >= n.from_at
          and last_at <= next.until + make_interval(mins => span.minutes) and first_at <= next.until
        order by last_at desc limit ${BLOCKS_MAX}
      ) as b
      order by b.last_at desc limit ${BLOCKS_MAX}
    ) as stored
  ) as b`;

function toSurrounding({ from, to }: SurroundingRange, rows: Row[]): SurroundingReadings {
  const until = Math.max(to, ...rows.map((row) => Math.round(row.until)));
  const first = rows.length < BLOCKS_MAX ? from : Math.max(from, (rows.at(-1) as Row).lastAt + 1);
  const readings = rows.flatMap((row) => toReadings(blockOf(row), (at) => at >= first && at <= until));
  return {
    from: first,
    to: until,
    readings: readings.sort((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime()),
  };
}
