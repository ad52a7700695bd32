/** Averages per hour of one channel of many devices, in one statement: what small curves in lists are drawn from. */
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { BLOCK_FIELDS, type BlockRow, blockOf, SPANS } from './block-columns.ts';
import { createBuckets, RESOLUTIONS } from './buckets.ts';
import type { ReadingBlock } from './reading-block.ts';

export interface ChannelRef extends AssetRef {
  channel: number;
}

export interface RecentHour {
  /** Its beginning, in Unix milliseconds. */
  at: number;
  value: number;
}

export type RecentHours = ReadonlyMap<string, RecentHour[]>;

/** Blocks of a device and a length: a day of blocks of five minutes. The newest are read. */
const BLOCKS_MAX = 300;

export type RecentHoursRepository = ReturnType<typeof createRecentHoursRepository>;

export function createRecentHoursRepository(sql: Sql) {
  return {
    /** By asset id, oldest first. */
    async list(channels: readonly ChannelRef[], from: Date): Promise<RecentHours> {
      if (channels.length === 0) return new Map();
      const rows = await queryPrepared<BlockRow & { assetId: string }>(
        sql,
        'history_recent_hours',
        `select "assetId", ${BLOCK_FIELDS} from (
           select n.asset_id as "assetId", b.*
           from unnest(?::uuid[], ?::uuid[], ?::smallint[]) as n (organization_id, asset_id, shown_channel)
           cross join ${SPANS}
           cross join lateral (
             select first_at, last_at, received_at, channel, type, scale, late, steps, numbers, errors, offsets_ms,
               run_lengths, run_delays_ms, period_seconds
             from measurement_blocks
             where organization_id = n.organization_id and asset_id = n.asset_id and span_minutes = span.minutes
               and channel = n.shown_channel and last_at >= ?::timestamptz
             order by last_at desc, channel desc limit ${BLOCKS_MAX}
           ) as b
         ) as found`,
        [
          channels.map(({ organizationId }) => organizationId),
          channels.map(({ assetId }) => assetId),
          channels.map(({ channel }) => channel),
          from.toISOString(),
        ],
      );
      return new Map([...byAsset(rows)].map(([assetId, blocks]) => [assetId, toHours(blocks, from)]));
    },
  };
}

function byAsset(rows: ReadonlyArray<BlockRow & { assetId: string }>): Map<string, ReadingBlock[]> {
  const blocks = new Map<string, ReadingBlock[]>();
  for (const row of rows) {
    const own = blocks.get(row.assetId) ?? [];
    own.push(blockOf(row));
    blocks.set(row.assetId, own);
  }
  return blocks;
}

function toHours(blocks: ReadingBlock[], from: Date): RecentHour[] {
  const buckets = createBuckets(RESOLUTIONS['1h']);
  buckets.add(blocks, [from.getTime(), Number.POSITIVE_INFINITY]);
  const hours = buckets.takeFrom(0).map(({ fromMs, sum, count }) => ({ at: fromMs, value: sum / count }));
  return hours.reverse();
}
