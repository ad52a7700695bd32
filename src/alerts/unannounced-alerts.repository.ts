/**
 * Open alerts whose events were not published because a whole fleet was overdue: see
 * presence/overdue-fleet.ts.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { lastOf } from '../process/pages.ts';
import type { AlertRef } from './alert.ts';
import { ACKNOWLEDGE_AS } from './unannounced-alerts.statements.ts';

const UNANNOUNCED = `organization_id = ? and not is_announced and status <> 'resolved'`;

export type UnannouncedAlertsRepository = ReturnType<typeof createUnannouncedAlertsRepository>;

export function createUnannouncedAlertsRepository(sql: Sql) {
  return {
    /** Stops counting at the limit. */
    async count(organizationId: string, limit: number): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) as count from (select from alerts where ${UNANNOUNCED} limit ?) as counted`,
        [organizationId, limit],
      );
      return row?.count ?? 0;
    },

    /** The earliest first. */
    list(organizationId: string, limit: number): Promise<Array<AssetRef & AlertRef>> {
      return query(
        sql,
        `select organization_id as "organizationId", asset_id as "assetId", id as "alertId" from alerts
         where ${UNANNOUNCED} order by id limit ?`,
        [organizationId, limit],
      );
    },

    /**
     * Acknowledges the next alerts, ordered by id, in the same way as the alert that represents them. Returns
     * the last one; null when there are no more.
     */
    async acknowledgeAs(
      { organizationId, alertId }: AlertRef,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<string | null> {
      const ids = await query<{ id: string }>(sql, ACKNOWLEDGE_AS, { organizationId, alertId, after, limit });
      return lastOf(ids, limit)?.id ?? null;
    },

    /** Ids of the assets whose latest alert of a missed contact is unannounced, resolved or not. */
    async listAssets(devices: AssetRef[]): Promise<Set<string>> {
      const rows = await query<{ assetId: string }>(
        sql,
        `select n.asset_id as "assetId"
         from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
         cross join lateral (
           select is_announced from alerts
           where organization_id = n.organization_id and asset_id = n.asset_id and type = 'no_data'
           order by id desc limit 1
         ) as latest
         where not latest.is_announced`,
        [devices.map(({ organizationId }) => organizationId), devices.map(({ assetId }) => assetId)],
      );
      return new Set(rows.map(({ assetId }) => assetId));
    },
  };
}
