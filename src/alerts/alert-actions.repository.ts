import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Actor } from '../http/audit.ts';
import type { NewAction } from './alert-handling.ts';
import type { AlertAction } from './alert-history.ts';

export type AlertActionsRepository = ReturnType<typeof createAlertActionsRepository>;

export function createAlertActionsRepository(sql: Sql) {
  return {
    /** Oldest first. */
    list(organizationId: string, alertId: string): Promise<AlertAction[]> {
      return query(
        sql,
        `select uuid_extract_timestamp(id) as at, action, actor as by, comment from alert_actions
         where organization_id = ? and alert_id = ? order by id`,
        [organizationId, alertId],
      );
    },

    async count(organizationId: string, alertId: string): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        'select count(*) as count from alert_actions where organization_id = ? and alert_id = ?',
        [organizationId, alertId],
      );
      return row?.count ?? 0;
    },

    /** In the order given; `by` is null for the service. Answers with the last one. */
    async insert(
      organizationId: string,
      alertId: string,
      actions: readonly NewAction[],
      by: Actor | null,
    ): Promise<AlertAction | null> {
      if (actions.length === 0) return null;
      const rows = await query<AlertAction>(
        sql,
        `insert into alert_actions (organization_id, alert_id, action, comment, actor)
         select ?, ?, n.action, n.comment, ?::jsonb
         from unnest(?::text[], ?::text[]) with ordinality as n (action, comment, position) order by n.position
         returning uuid_extract_timestamp(id) as at, action, actor as by, comment`,
        [
          organizationId,
          alertId,
          by && JSON.stringify(by),
          actions.map(({ action }) => action),
          actions.map(({ comment }) => comment),
        ],
      );
      return rows.at(-1) ?? null;
    },
  };
}
