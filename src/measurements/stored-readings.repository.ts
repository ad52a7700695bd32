/** Readings that are stored at the times that devices send. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { keyOfReading, type StoredReading } from '../devices/reading.ts';
import { DAY_MS } from '../process/durations.ts';
import { type BlockRow, blockOf } from './block-columns.ts';
import { FIND_STORED } from './measurements.statements.ts';
import { startOfDay, toReadings } from './reading-block.ts';

interface SentTimes extends AssetRef {
  /** Unix milliseconds, of any channel. */
  times: number[];
}

/** By asset and key of the reading. */
export type StoredByAsset = ReadonlyMap<string, ReadonlyMap<number, StoredReading>>;

export type StoredReadingsRepository = ReturnType<typeof createStoredReadingsRepository>;

export function createStoredReadingsRepository(sql: Sql) {
  return {
    /** The readings at these times, of every channel. Takes no statement without a time. */
    async find(sent: readonly SentTimes[]): Promise<StoredByAsset> {
      const ranges = sent.flatMap(toRanges);
      if (ranges.length === 0) return new Map();
      const rows = await queryPrepared<OverlapRow>(sql, 'measurements_find_stored', FIND_STORED, {
        organizationIds: toArrayText(ranges, ({ organizationId }) => organizationId),
        assetIds: toArrayText(ranges, ({ assetId }) => assetId),
        from: toArrayText(ranges, ({ from }) => new Date(from).toISOString()),
        to: toArrayText(ranges, ({ to }) => new Date(to).toISOString()),
        before: toArrayText(ranges, ({ before }) => new Date(before).toISOString()),
      });
      return toStored(rows, sent);
    },
  };
}

interface OverlapRow extends BlockRow {
  assetId: string;
}

function toStored(rows: OverlapRow[], sent: readonly SentTimes[]): StoredByAsset {
  const byAsset = new Map(
    sent.map(({ assetId, times }) => [
      assetId,
      { times: new Set(times), stored: new Map<number, StoredReading>() },
    ]),
  );
  for (const row of rows) {
    const asset = byAsset.get(row.assetId);
    if (!asset) continue;
    for (const reading of toReadings(blockOf(row), (atMs) => asset.times.has(atMs)))
      asset.stored.set(keyOfReading(reading), reading);
  }
  return new Map([...byAsset].map(([assetId, { stored }]) => [assetId, stored]));
}

/** Unix milliseconds, both inclusive. */
interface TimeRange extends AssetRef {
  from: number;
  to: number;
  /** The end of the day of both: blocks beyond it cannot overlap the range. */
  before: number;
}

const RANGE_GAP_MS = 3_600_000;

/** Ranges within days. Times that are far apart are looked up apart, so that readings between them are not read. */
function toRanges({ organizationId, assetId, times }: SentTimes): TimeRange[] {
  const ranges: TimeRange[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && at < last.before && at - last.to <= RANGE_GAP_MS) last.to = at;
    else ranges.push({ organizationId, assetId, from: at, to: at, before: startOfDay(at) + DAY_MS });
  }
  return ranges;
}
