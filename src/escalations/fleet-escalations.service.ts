/**
 * For an overdue fleet, one alert escalates: the first that matches a policy. When its device is back before the fleet, the
 * next alert continues at the same step. Its acknowledgement acknowledges all the others.
 */
import type { AlertRef } from '../alerts/alert.ts';
import type { UnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Database } from '../db/database.ts';
import { isFaultOfAll } from '../db/due-rows.ts';
import type { Transact } from '../db/transaction.ts';
import { CANDIDATES_MAX } from './alert-escalation.ts';
import type { EscalationTitle } from './escalation-description.ts';
import type { EscalatedFleetRow, FleetEscalationsRepository } from './fleet-escalations.repository.ts';

export interface FleetEscalationsDeps {
  transact: Transact;
  fleets: Pick<FleetEscalationsRepository, 'list' | 'hasPolicy'>;
  /** Counts the open alerts of an overdue fleet. */
  unannounced: Pick<UnannouncedAlertsRepository, 'count'>;
  fleetsIn(sql: Database): Pick<FleetEscalationsRepository, 'lock' | 'escalateNext'>;
  unannouncedIn(sql: Database): Pick<UnannouncedAlertsRepository, 'acknowledgeAs'>;
  runs: {
    begin(alert: AlertRef, title: EscalationTitle): void;
    wake(alert: AlertRef): void;
  };
  onSetAside(fleet: { organizationId: string }, error: unknown): void;
  /** Called when no policy matches any of the checked alerts, and there are more alerts. */
  onBoundHit(organizationId: string, limit: number): void;
  now(): Date;
}

const ACKNOWLEDGED_AT_ONCE = 500;

/** Returns the sweep over all overdue fleets. */
export function createFleetEscalations({
  transact,
  fleets,
  fleetsIn,
  unannouncedIn,
  unannounced,
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

  /** Reports once that a fleet has more alerts than are checked, and no policy matches a checked one. */
  async function checkBound(organizationId: string): Promise<void> {
    if (boundHitBy.has(organizationId)) return;
    if ((await unannounced.count(organizationId, CANDIDATES_MAX)) < CANDIDATES_MAX) return;
    boundHitBy.add(organizationId);
    onBoundHit(organizationId, CANDIDATES_MAX);
  }

  /** Returns the position after which its next turn begins; null: this was the last. */
  async function takeTurn({ fleet, after }: Turn): Promise<string | null> {
    const { organizationId, alertId, status, isAcknowledged } = fleet;
    if (alertId !== null && isAcknowledged) {
      const page = { after, limit: ACKNOWLEDGED_AT_ONCE };
      return transact(({ sql }) => unannouncedIn(sql).acknowledgeAs({ organizationId, alertId }, page));
    }
    if (status === null || status === 'resolved') await escalateNext(organizationId);
    return null;
  }

  /** A fleet that fails delays no other one. */
  const tryTurn = (turn: Turn): Promise<string | null> =>
    takeTurn(turn).catch((error) => {
      if (isFaultOfAll(error)) throw error;
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
