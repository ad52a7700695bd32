/**
 * A fleet that is overdue escalates once: by the first of its alerts that a policy matches. When that device is back and
 * the fleet is not, the next alert goes on at the same step. Whoever acknowledges it acknowledges all the others.
 */
import type { AlertRef } from '../alerts/alert.ts';
import type { UnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import type { EscalationTitle } from './escalation-description.ts';
import type { EscalatedFleetRow, FleetEscalationsRepository } from './fleet-escalations.repository.ts';
import { CANDIDATES_MAX } from './fleet-escalations.statements.ts';

export interface FleetEscalationsDeps {
  transact: Transact;
  fleets: Pick<FleetEscalationsRepository, 'list' | 'hasPolicy'>;
  /** Of a fleet that is overdue, the open alerts. */
  alerts: Pick<UnannouncedAlertsRepository, 'count'>;
  fleetsIn(sql: Database): Pick<FleetEscalationsRepository, 'lock' | 'escalateNext'>;
  alertsIn(sql: Database): Pick<UnannouncedAlertsRepository, 'acknowledgeAs'>;
  runs: {
    begin(alert: AlertRef, title: EscalationTitle): void;
    wake(alert: AlertRef): void;
  };
  onSetAside(fleet: { organizationId: string }, error: unknown): void;
  /** No policy matches one of the alerts that are looked at, and there are more. */
  onBoundHit(organizationId: string, limit: number): void;
  now(): Date;
}

const ACKNOWLEDGED_AT_ONCE = 500;

/** Answers with the sweep over all fleets that are overdue. */
export function createFleetEscalations({
  transact,
  fleets,
  fleetsIn,
  alertsIn,
  alerts,
  runs,
  onSetAside,
  onBoundHit,
  now,
}: FleetEscalationsDeps): (shouldContinue: () => boolean) => Promise<void> {
  const boundHitBy = new Set<string>();

  async function escalateNext(organizationId: string): Promise<void> {
    if (!(await fleets.hasPolicy(organizationId))) return;
    const isBegun = await transact(async ({ sql, afterCommit }) => {
      if (!(await fleetsIn(sql).lock(organizationId))) return true;
      const begun = await fleetsIn(sql).escalateNext(organizationId, now());
      if (!begun) return false;
      const { alertId, serialNumber, endedAlertId } = begun;
      afterCommit(() => {
        runs.begin({ organizationId, alertId }, { serialNumber, alertType: 'no_data' });
        if (endedAlertId !== null) runs.wake({ organizationId, alertId: endedAlertId });
      });
      return true;
    });
    if (!isBegun) await checkBound(organizationId);
  }

  /** More alerts than are looked at, and no policy matches one of those: said once. */
  async function checkBound(organizationId: string): Promise<void> {
    if (boundHitBy.has(organizationId)) return;
    if ((await alerts.count(organizationId, CANDIDATES_MAX)) < CANDIDATES_MAX) return;
    boundHitBy.add(organizationId);
    onBoundHit(organizationId, CANDIDATES_MAX);
  }

  /** Answers with the position behind which its next turn begins; null: this was the last. */
  async function takeTurn({ fleet, after }: Turn): Promise<string | null> {
    const { organizationId, alertId, status, isAcknowledged } = fleet;
    if (alertId !== null && isAcknowledged) {
      const page = { after, limit: ACKNOWLEDGED_AT_ONCE };
      return transact(({ sql }) => alertsIn(sql).acknowledgeAs({ organizationId, alertId }, page));
    }
    if (status === null || status === 'resolved') await escalateNext(organizationId);
    return null;
  }

  /** One that fails holds up no other. */
  const tryTurn = (turn: Turn): Promise<string | null> =>
    takeTurn(turn).catch((error) => {
      onSetAside({ organizationId: turn.fleet.organizationId }, error);
      return null;
    });

  return async (shouldContinue) => {
    let turns: Turn[] = (await fleets.list(now())).map((fleet) => ({ fleet, after: null }));
    while (turns.length > 0) {
      const next: Turn[] = [];
      for (const turn of turns) {
        if (!shouldContinue()) return;
        const after = await tryTurn(turn);
        if (after !== null) next.push({ ...turn, after });
      }
      turns = next;
    }
  };
}

interface Turn {
  fleet: EscalatedFleetRow;
  after: string | null;
}
