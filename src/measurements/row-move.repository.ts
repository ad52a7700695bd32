/** Readings that an earlier version has stored, one to a row, on their way into blocks. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { StoredReading } from './reading.ts';

export type RowMoveRepository = ReturnType<typeof createRowMoveRepository>;

export function createRowMoveRepository(sql: Sql) {
  return {
    /** The next asset with rows, of any organization; null when there is none. */
    async findNext(after: AssetRef | null): Promise<AssetRef | null> {
      const [row] = await query<AssetRef>(
        sql,
        `select organization_id as "organizationId", asset_id as "assetId" from measurements
         where (organization_id, asset_id) > (?::uuid, ?::uuid)
         order by organization_id, asset_id limit 1`,
        [after?.organizationId ?? FIRST_ID, after?.assetId ?? FIRST_ID],
      );
      return row ?? null;
    },

    /** Frames of the device wait until the end of the transaction. */
    async lockDevice({ organizationId, assetId }: AssetRef): Promise<void> {
      await query(
        sql,
        'select from device_states where organization_id = ? and asset_id = ? for no key update',
        [organizationId, assetId],
      );
    },

    /** Removes the oldest rows of the asset and returns them. */
    takeOldest({ organizationId, assetId }: AssetRef, limit: number): Promise<StoredReading[]> {
      return query(
        sql,
        `with oldest as materialized (
           select measured_at from measurements where organization_id = ? and asset_id = ?
           order by measured_at limit ?
         )
         delete from measurements
         where organization_id = ? and asset_id = ? and measured_at >= (select min(measured_at) from oldest)
           and measured_at < date_trunc('day', (select max(measured_at) from oldest), 'UTC') + interval '1 day'
         returning channel, type, value, error, late, measured_at as "measuredAt", received_at as "receivedAt"`,
        [organizationId, assetId, limit, organizationId, assetId],
      );
    },
  };
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
