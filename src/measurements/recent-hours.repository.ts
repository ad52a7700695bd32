/** Averages per hour of one channel of many devices, in one statement, for small curves in lists. */
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import { grouped } from '../process/grouped.ts';
import { type BlockRow, blockOf } from './block-columns.ts';
import { createBuckets, RESOLUTIONS } from './buckets.ts';
import { LIST_RECENT } from './history.statements.ts';

export interface ChannelRef extends AssetRef {
  channel: number;
}

interface RecentHour {
  /** Start of the hour, in Unix milliseconds. */
  at: number;
  value: number;
}

type RecentHours = ReadonlyMap<string, RecentHour[]>;

export type RecentHoursRepository = ReturnType<typeof createRecentHoursRepository>;

export function createRecentHoursRepository(sql: Sql) {
  return {
    /** By asset id, oldest first. */
    async list(channels: readonly ChannelRef[], from: Date): Promise<RecentHours> {
      if (channels.length === 0) return new Map();
      const rows = await queryPrepared<BlockRow & { assetId: string }>(
        sql,
        'history_recent_hours',
        LIST_RECENT,
        {
          ...assetKeys(channels),
          channels: channels.map(({ channel }) => channel),
          from: from.toISOString(),
        },
      );
      const byAsset = grouped(rows, ({ assetId }) => assetId);
      return new Map([...byAsset].map(([assetId, blocks]) => [assetId, toHours(blocks, from)]));
    },
  };
}

function toHours(rows: BlockRow[], from: Date): RecentHour[] {
  const buckets = createBuckets(RESOLUTIONS['1h']);
  buckets.add(rows.map(blockOf), [from.getTime(), Number.POSITIVE_INFINITY]);
  const hours = buckets.takeFrom(0).map(({ fromMs, sum, count }) => ({ at: fromMs, value: sum / count }));
  return hours.reverse();
}
