/**
 * Open alerts whose events were not published because a whole fleet was overdue: see
 * presence/overdue-fleet.ts.
 */
import { countUpTo } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { lastOf } from '../process/pages.ts';
import type { AlertRef } from './alert.ts';
import type { NewAction } from './alert-handling.ts';

export type UnannouncedAlertsRepository = ReturnType<typeof createUnannouncedAlertsRepository>;

export function createUnannouncedAlertsRepository(sql: Database) {
  const unannounced = (organizationId: string) =>
    sql('alerts')
      .where({ organization_id: organizationId })
      .whereRaw(`not is_announced and status <> 'resolved'`);

  return {
    /** Stops counting at the limit. */
    count: (organizationId: string, limit: number): Promise<number> =>
      countUpTo(sql, limit, unannounced(organizationId)),

    /** The earliest first. */
    list: (organizationId: string, limit: number): Promise<Array<AssetRef & AlertRef>> =>
      unannounced(organizationId)
        .orderBy('id')
        .limit(limit)
        .select({ organizationId: 'organization_id', assetId: 'asset_id', alertId: 'id' }),

    /**
     * Acknowledges the next alerts, ordered by id, in the same way as the alert that represents them. Skips an alert that a
     * frame is resolving: it is over, or is found the next time. They are acknowledged now, because they may have begun
     * after the acknowledgement of the other one. Returns the last one; null when there are no more. Needs a transaction.
     */
    async acknowledgeAs(
      { organizationId, alertId }: AlertRef,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<string | null> {
      const own = { organization_id: organizationId };
      const model = await sql('alerts')
        .where({ ...own, id: alertId })
        .whereNotNull('acknowledged_at')
        .first('acknowledged_by', 'snooze_until');
      if (model === undefined) return null;
      const next = unannounced(organizationId).where({ status: 'new' }).orderBy('id').limit(limit);
      if (after !== null) next.where('id', '>', after);
      const ids: string[] = await next.forNoKeyUpdate().skipLocked().pluck('id');
      if (ids.length === 0) return null;
      await sql('alerts')
        .where(own)
        .whereIn('id', ids)
        .update({
          ...model,
          status: 'acknowledged',
          acknowledged_at: sql.fn.now(),
          updated_at: sql.fn.now(),
        });
      const entries: NewAction[] = [{ action: 'acknowledged', comment: null }];
      if (model.snooze_until !== null)
        entries.push({ action: 'snoozed', comment: model.snooze_until.toISOString() });
      await sql('alert_actions').insert(
        ids.flatMap((id) =>
          entries.map((entry) => ({ ...own, alert_id: id, actor: model.acknowledged_by, ...entry })),
        ),
      );
      return lastOf(ids, limit);
    },
  };
}
