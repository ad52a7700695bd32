/** Which readings of devices are stored already. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { parseNumbers, SPANS } from './block-columns.ts';
import { keyOfReading } from './reading.ts';
import { timesOfBlock } from './reading-block.ts';

/** Unix milliseconds, both included. */
export interface TimeRange extends AssetRef {
  from: number;
  to: number;
  /** The end of the day that both are in: blocks beyond it cannot overlap the range. */
  before: number;
}

interface OverlapRow {
  assetId: string;
  channel: number;
  firstAt: Date;
  lastAt: Date;
  count: number;
  offsetsMs: string | null;
}

export function createStoredKeysRepository(sql: Sql) {
  return {
    /** By asset, at least the keys of the readings in the ranges. */
    async find(ranges: TimeRange[]): Promise<Map<string, Set<number>>> {
      const rows = await queryPrepared<OverlapRow>(
        sql,
        'measurements_find_stored',
        `select n.asset_id as "assetId", channel, first_at as "firstAt", last_at as "lastAt", count,
           offsets_ms as "offsetsMs"
         from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::timestamptz[], ?::timestamptz[])
           as n (organization_id, asset_id, from_at, to_at, before_at)
         cross join ${SPANS}
         cross join lateral (
           select channel, first_at, last_at, coalesce(cardinality(steps), cardinality(numbers)) as count,
             offsets_ms::text
           from measurement_blocks
           where organization_id = n.organization_id and asset_id = n.asset_id and span_minutes = span.minutes
             and last_at >= n.from_at and last_at < n.before_at
             and last_at <= n.to_at + make_interval(mins => span.minutes) and first_at <= n.to_at
           -- Looked up for each span: joined freely, all blocks from from_at on might be read.
           offset 0
         ) as stored`,
        [
          toArrayText(ranges, ({ organizationId }) => organizationId),
          toArrayText(ranges, ({ assetId }) => assetId),
          toArrayText(ranges, ({ from }) => new Date(from).toISOString()),
          toArrayText(ranges, ({ to }) => new Date(to).toISOString()),
          toArrayText(ranges, ({ before }) => new Date(before).toISOString()),
        ],
      );
      return keysByAsset(rows);
    },
  };
}

function keysByAsset(rows: OverlapRow[]): Map<string, Set<number>> {
  const byAsset = new Map<string, Set<number>>();
  for (const { assetId, channel, firstAt, lastAt, count, offsetsMs } of rows) {
    const keys = byAsset.get(assetId) ?? new Set();
    const block = {
      firstAt: firstAt.getTime(),
      lastAt: lastAt.getTime(),
      count,
      offsetsMs: parseNumbers(offsetsMs) as number[] | null,
    };
    for (const at of timesOfBlock(block)) keys.add(keyOfReading({ channel, measuredAt: new Date(at) }));
    byAsset.set(assetId, keys);
  }
  return byAsset;
}
