/** Overdue fleets, with the alert of each that escalates for all of its devices. */
import type { AlertStatus } from '../alerts/alert.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { ESCALATE_NEXT, LIST_FLEETS } from './fleet-escalations.statements.ts';

export interface EscalatedFleetRow {
  organizationId: string;
  /** The alert that escalates; null: none does. */
  alertId: string | null;
  status: AlertStatus | null;
  /** False again when a snooze ends. */
  isAcknowledged: boolean;
}

interface BegunFleetEscalation {
  organizationId: string;
  alertId: string;
  serialNumber: string;
  /** The alert that escalated before; null: none did. */
  endedAlertId: string | null;
}

export type FleetEscalationsRepository = ReturnType<typeof createFleetEscalationsRepository>;

export const createFleetEscalationsRepository = (sql: Database) => ({
  /** A few rows, from all organizations. */
  list: (now: Date): Promise<EscalatedFleetRow[]> => query(sql, LIST_FLEETS, { now }),

  /** False when the fleet is no longer overdue. */
  async lock(organizationId: string): Promise<boolean> {
    const row = await sql('overdue_fleets')
      .where({ organization_id: organizationId })
      .first()
      .forNoKeyUpdate();
    return row !== undefined;
  },

  /** Without a policy for alerts of a missed contact, which are critical, no alert has to be checked. */
  async hasPolicy(organizationId: string): Promise<boolean> {
    const row = await sql('escalation_policies')
      .where({ organization_id: organizationId, status: 'active' })
      .whereRaw(`'no_data' = any(alert_types) and 'critical' = any(severities)`)
      .first('id');
    return row !== undefined;
  },

  /** After the end of the fleet outage, the escalation of its alert continues for that alert alone. */
  async release(organizationId: string): Promise<void> {
    await sql('alert_escalations')
      .where({ organization_id: organizationId })
      .whereIn(
        'alert_id',
        sql('overdue_fleets')
          .where({ organization_id: organizationId })
          .whereNotNull('escalated_alert_id')
          .select('escalated_alert_id'),
      )
      .update({ fleet_overdue: null, fleet_total: null });
  },

  /** Null when no policy matches an alert of the fleet. The caller has locked the fleet. */
  async escalateNext(organizationId: string, now: Date): Promise<BegunFleetEscalation | null> {
    const [row] = await query<BegunFleetEscalation>(sql, ESCALATE_NEXT, { organizationId, now });
    return row ?? null;
  },
});
