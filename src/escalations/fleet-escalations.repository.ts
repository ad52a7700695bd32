/** Fleets that are overdue, and the alert of each that escalates for all of its devices. */
import type { AlertStatus } from '../alerts/alert.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { ESCALATE_NEXT, LIST_FLEETS } from './fleet-escalations.statements.ts';

export interface EscalatedFleetRow {
  organizationId: string;
  /** The alert that escalates; null: none does. */
  alertId: string | null;
  status: AlertStatus | null;
  /** Until its snooze ends, if it has one. */
  isAcknowledged: boolean;
}

export interface BegunFleetEscalation {
  organizationId: string;
  alertId: string;
  serialNumber: string;
  /** The alert that escalated before; null: none did. */
  endedAlertId: string | null;
}

export type FleetEscalationsRepository = ReturnType<typeof createFleetEscalationsRepository>;

export const createFleetEscalationsRepository = (sql: Database) => ({
  /** Of all organizations: a handful of rows at most. */
  list: (now: Date): Promise<EscalatedFleetRow[]> => query(sql, LIST_FLEETS, { now }),

  /** False when the fleet is not overdue any more. */
  async lock(organizationId: string): Promise<boolean> {
    const row = await sql('overdue_fleets')
      .where({ organization_id: organizationId })
      .first()
      .forNoKeyUpdate();
    return row !== undefined;
  },

  /** Null when no policy matches an alert of the fleet. The caller has locked it. */
  async escalateNext(organizationId: string, now: Date): Promise<BegunFleetEscalation | null> {
    const [row] = await query<BegunFleetEscalation>(sql, ESCALATE_NEXT, { organizationId, now });
    return row ?? null;
  },
});
