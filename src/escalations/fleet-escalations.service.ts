/**
 * A fleet that is overdue escalates once: by the first of its alerts that a policy matches. When that device is back and the
 * fleet is not, the next alert goes on at the same step. Whoever acknowledges it acknowledges all the others.
 */
import type { AlertRef } from '../alerts/alert.ts';
import type { UnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { stepwise } from '../process/pages.ts';
import type { EscalationTitle } from './escalation-description.ts';
import type { EscalatedFleetRow, FleetEscalationsRepository } from './fleet-escalations.repository.ts';

export interface FleetEscalationsDeps {
  transact: Transact;
  fleets: Pick<FleetEscalationsRepository, 'list'>;
  fleetsIn(sql: Database): Pick<FleetEscalationsRepository, 'lock' | 'escalateNext'>;
  alertsIn(sql: Database): Pick<UnannouncedAlertsRepository, 'acknowledgeAs'>;
  runs: {
    begin(alert: AlertRef, title: EscalationTitle): void;
    end(alert: AlertRef): void;
  };
  now(): Date;
}

const ACKNOWLEDGED_AT_ONCE = 500;

/** Answers with the sweep over all fleets that are overdue. */
export function createFleetEscalations({
  transact,
  fleets,
  fleetsIn,
  alertsIn,
  runs,
  now,
}: FleetEscalationsDeps): (shouldContinue: () => boolean) => Promise<void> {
  function escalateNext(organizationId: string): Promise<void> {
    return transact(async ({ sql, afterCommit }) => {
      if (!(await fleetsIn(sql).lock(organizationId))) return;
      const begun = await fleetsIn(sql).escalateNext(organizationId, now());
      if (!begun) return;
      const { alertId, serialNumber, endedAlertId } = begun;
      afterCommit(() => {
        runs.begin({ organizationId, alertId }, { serialNumber, alertType: 'no_data' });
        if (endedAlertId !== null) runs.end({ organizationId, alertId: endedAlertId });
      });
    });
  }

  const acknowledgeOthers = (alert: AlertRef, shouldContinue: () => boolean): Promise<boolean> =>
    stepwise(
      (after: string | null) =>
        transact(({ sql }) => alertsIn(sql).acknowledgeAs(alert, { after, limit: ACKNOWLEDGED_AT_ONCE })),
      shouldContinue,
    );

  async function sweep(fleet: EscalatedFleetRow, shouldContinue: () => boolean): Promise<void> {
    const { organizationId, alertId, status, isAcknowledged } = fleet;
    if (alertId !== null && isAcknowledged)
      await acknowledgeOthers({ organizationId, alertId }, shouldContinue);
    else if (status === null || status === 'resolved') await escalateNext(organizationId);
  }

  return async (shouldContinue) => {
    for (const fleet of await fleets.list(now())) if (shouldContinue()) await sweep(fleet, shouldContinue);
  };
}
