import { countRows } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { Actor } from '../db/transaction.ts';
import type { NewAction } from './alert-handling.ts';
import type { AlertAction, StoredAction } from './alert-history.ts';

interface AlertActionRow {
  organization_id: string;
  alert_id: string;
  id: string;
  action: StoredAction;
  actor: Actor | null;
  comment: string | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    alert_actions: AlertActionRow;
  }
}

/** The id of a row contains its time. */
const TIME = 'uuid_extract_timestamp(id) as at';

const toAction = ({ at, action, actor, comment }: AlertActionRow & { at: Date }): AlertAction => ({
  at,
  action,
  by: actor,
  comment,
});

export type AlertActionsRepository = ReturnType<typeof createAlertActionsRepository>;

export function createAlertActionsRepository(sql: Database) {
  const ofAlert = (organizationId: string, alertId: string) =>
    sql('alert_actions').where({ organization_id: organizationId, alert_id: alertId });

  return {
    /** Oldest first. */
    async list(organizationId: string, alertId: string): Promise<AlertAction[]> {
      const rows = await ofAlert(organizationId, alertId).orderBy('id').select('*', sql.raw<Date>(TIME));
      return rows.map(toAction);
    },

    count: (organizationId: string, alertId: string): Promise<number> =>
      countRows(ofAlert(organizationId, alertId)),

    /** Inserts and returns the actions in the given order; `by` is null for the service. */
    async insert(
      organizationId: string,
      alertId: string,
      actions: readonly NewAction[],
      by: Actor | null,
    ): Promise<AlertAction[]> {
      if (actions.length === 0) return [];
      const row = { organization_id: organizationId, alert_id: alertId, actor: by };
      const rows = await sql('alert_actions')
        .insert(actions.map((action) => ({ ...row, ...action })))
        .returning(['*', sql.raw(TIME) as never]);
      return (rows as Array<AlertActionRow & { at: Date }>).map(toAction);
    },
  };
}
