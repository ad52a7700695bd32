/**
 * Open alerts whose events were not published because a whole fleet was overdue: see
 * presence/overdue-fleet.ts.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import { lastOf } from '../process/pages.ts';
import type { AlertRef } from './alert.ts';
import {
  ACKNOWLEDGE_AS,
  COUNT_UNANNOUNCED,
  LIST_ASSETS,
  LIST_UNANNOUNCED,
} from './unannounced-alerts.statements.ts';

export type UnannouncedAlertsRepository = ReturnType<typeof createUnannouncedAlertsRepository>;

export function createUnannouncedAlertsRepository(sql: Sql) {
  return {
    /** Stops counting at the limit. */
    async count(organizationId: string, limit: number): Promise<number> {
      const [row] = await query<{ count: number }>(sql, COUNT_UNANNOUNCED, { organizationId, limit });
      return row?.count ?? 0;
    },

    /** The earliest first. */
    list: (organizationId: string, limit: number): Promise<Array<AssetRef & AlertRef>> =>
      query(sql, LIST_UNANNOUNCED, { organizationId, limit }),

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
      const rows = await query<{ assetId: string }>(sql, LIST_ASSETS, assetKeys(devices));
      return new Set(rows.map(({ assetId }) => assetId));
    },
  };
}
