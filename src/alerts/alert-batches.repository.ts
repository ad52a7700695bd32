/** Alerts that batches of frames and sweeps open and resolve, many at once. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Severity } from '../devices/alert-terms.ts';
import type { AlertDetails, AlertRef, AlertResolution, AlertType } from './alert.ts';
import { ANNOUNCE, INSERT, RESOLVE } from './alert-batches.statements.ts';
import type { StoredAlert } from './alerts.repository.ts';

export interface NewAlert {
  organizationId: string;
  assetId: string;
  serialNumber: string;
  type: AlertType;
  details: AlertDetails;
  startedAt: Date;
  severity: Severity;
  /** False: its events are not published. */
  isAnnounced: boolean;
}

export interface ResolvedAlertRef extends AlertRef {
  /** Added to the details of the alert. */
  resolution?: AlertResolution | null;
}

export type AlertBatchesRepository = ReturnType<typeof createAlertBatchesRepository>;

export function createAlertBatchesRepository(sql: Sql) {
  return {
    /** In the order given. */
    async insert(alerts: NewAlert[]): Promise<StoredAlert[]> {
      if (alerts.length === 0) return [];
      const rows = await query<StoredAlert & { position: number }>(sql, INSERT, {
        organizationIds: alerts.map(({ organizationId }) => organizationId),
        assetIds: alerts.map(({ assetId }) => assetId),
        serialNumbers: alerts.map(({ serialNumber }) => serialNumber),
        types: alerts.map(({ type }) => type),
        details: alerts.map(({ details }) => JSON.stringify(details)),
        startedAt: alerts.map(({ startedAt }) => startedAt.toISOString()),
        areAnnounced: alerts.map(({ isAnnounced }) => isAnnounced),
        severities: alerts.map(({ severity }) => severity),
      });
      return rows.map(({ position, ...alert }) => alert);
    },

    /** Their events are published from now on; answers with those that are open. */
    async announce(refs: AlertRef[]): Promise<StoredAlert[]> {
      return refs.length === 0 ? [] : query(sql, ANNOUNCE, toArrays(refs));
    },

    /** Answers with those that were open. */
    async resolve(refs: ResolvedAlertRef[]): Promise<StoredAlert[]> {
      if (refs.length === 0) return [];
      const resolutions = refs.map(({ resolution }) => resolution ?? null);
      return query(sql, RESOLVE, { ...toArrays(refs), resolutions });
    },
  };
}

const toArrays = (refs: AlertRef[]) => ({
  organizationIds: refs.map(({ organizationId }) => organizationId),
  alertIds: refs.map(({ alertId }) => alertId),
});
