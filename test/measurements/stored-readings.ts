/** The content of an asset's blocks, read without the code that wrote them. */
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';

export interface StoredRow {
  channel: number;
  measuredAt: Date;
  value: number | null;
  error: number | null;
}

export const storedReadings = (sql: Sql, assetId: string): Promise<StoredRow[]> =>
  query(
    sql,
    `select channel, value, error, first_at + coalesce(
         offsets_ms[i], (i - 1) * extract(epoch from last_at - first_at) * 1000 / greatest(count - 1, 1)
       ) * interval '1 ms' as "measuredAt"
     from measurement_blocks
     cross join lateral (select coalesce(cardinality(steps), cardinality(numbers)) as count) as c
     cross join lateral generate_series(1, count) as i
     cross join lateral (
       select coalesce(numbers[i], steps[i]::double precision / 10 ^ scale) as value, errors[i] as error
     ) as v
     where asset_id = ? order by "measuredAt", channel`,
    [assetId],
  );

export async function countBlocks(sql: Sql, assetId: string): Promise<number> {
  const rows = await query(sql, 'select from measurement_blocks where asset_id = ?', [assetId]);
  return rows.length;
}

const PER_BLOCK = 200;

/**
 * Stores this many readings of a temperature, one a second, up to the middle of this month, whose partition
 * exists.
 */
export async function insertReadings(
  sql: Sql,
  { organizationId, assetId, count }: { organizationId: string; assetId: string; count: number },
): Promise<void> {
  await query(
    sql,
    `insert into measurement_blocks
       (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
     select ?, ?, last_at - interval '${PER_BLOCK - 1} seconds', last_at, now(), 1, 1, 0, false,
       array(select n % 30 from generate_series(1, ${PER_BLOCK}) as n)
     from generate_series(1, ?) as block,
       lateral (
         select date_trunc('month', now()) + interval '15 days' - block * interval '${PER_BLOCK} seconds' as last_at
       ) as time`,
    [organizationId, assetId, count / PER_BLOCK],
  );
}
