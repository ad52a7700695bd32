import { countRows, newestFirst, type Page } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { eachOrganization } from '../db/each-organization.ts';
import { alertsBy } from '../db/kept-totals.ts';
import { query } from '../db/query.ts';
import { ALERT_STATUSES, type Alert, type AlertStatus, type AlertType } from './alert.ts';
import { KEPT_TOTAL, removeResolved, WITH_RESOLVED } from './alerts.statements.ts';

export interface AlertRef {
  organizationId: string;
  alertId: string;
}

export interface AlertFilter extends Page {
  status: AlertStatus | null;
  type: AlertType | null;
  assetId: string | null;
}

export type StoredAlert = Alert & { organizationId: string; isAnnounced: boolean };

interface AlertRow {
  organization_id: string;
  id: string;
  asset_id: string;
  serial_number: string;
  type: AlertType;
  status: AlertStatus;
  details: Alert['details'];
  started_at: Date;
  updated_at: Date;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    alerts: AlertRow;
  }
}

const toAlert = (row: AlertRow): Alert => ({
  id: row.id,
  assetId: row.asset_id,
  serialNumber: row.serial_number,
  type: row.type,
  status: row.status,
  details: row.details,
  startedAt: row.started_at,
  updatedAt: row.updated_at,
});

export type AlertsRepository = ReturnType<typeof createAlertsRepository>;

export function createAlertsRepository(sql: Database) {
  const one = (organizationId: string, id: string) =>
    sql('alerts').where({ organization_id: organizationId, id });

  return {
    /** Newest first, and how many match on all pages. */
    async list(
      organizationId: string,
      { status, type, assetId, ...page }: AlertFilter,
    ): Promise<{ alerts: Alert[]; total: number }> {
      const matching = sql('alerts').where({ organization_id: organizationId });
      if (status !== null) matching.where({ status });
      if (type !== null) matching.where({ type });
      if (assetId !== null) matching.where({ asset_id: assetId });
      // Those of one asset are few enough to be counted.
      const total = assetId === null ? findTotal(organizationId, status, type) : countRows(matching.clone());
      const [rows, count] = await Promise.all([matching.modify(newestFirst, page), total]);
      return { alerts: rows.map(toAlert), total: count };
    },

    async find(organizationId: string, id: string): Promise<Alert | null> {
      const row = await one(organizationId, id).first();
      return row ? toAlert(row) : null;
    },

    /** Null when there is no such alert, or it is resolved. */
    async acknowledge(organizationId: string, id: string): Promise<Alert | null> {
      const updatedAt = sql.raw(`least(now(), case status when 'new' then 'infinity' else updated_at end)`);
      const [row] = await one(organizationId, id)
        .whereNot({ status: 'resolved' })
        .update({ status: 'acknowledged', updated_at: updatedAt })
        .returning('*');
      return row ? toAlert(row as AlertRow) : null;
    },

    /** Retention, in all organizations: removes alerts that were resolved so many days ago. Returns how many. */
    async removeResolved(days: number, limit: number): Promise<number> {
      const due = { text: WITH_RESOLVED, bindings: [days] };
      const rows = await eachOrganization(sql, due, (organizationId) =>
        query(sql, removeResolved(organizationId), { organizationId, days, limit }),
      );
      return rows.length;
    },
  };

  async function findTotal(organizationId: string, status: AlertStatus | null, type: AlertType | null) {
    const statuses = status === null ? ALERT_STATUSES : [status];
    const keys = statuses.map((each) => alertsBy(each, type).key);
    const [row] = await query<{ total: number }>(sql, KEPT_TOTAL, { organizationId, keys });
    return (row as { total: number }).total;
  }
}
