/**
 * An overdue fleet begins with one event and one alarm. It ends when the number of overdue devices is within
 * its limit again, or when the operator has confirmed it. Devices that are still overdue then go offline like
 * any other device, with an event each; devices that came back meanwhile have no event.
 */
import type { Database } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { InTransaction, Transact, Transaction } from '../db/transaction.ts';
import { isFleetOverdue, type OverdueFleet, overdueFleetData, overdueMax } from './overdue-fleet.ts';
import type { OverdueFleetsRepository, StoredOverdueFleet } from './overdue-fleets.repository.ts';
import type { OverdueQuery, PresenceRepository } from './presence.repository.ts';
import type { DeviceKey } from './presence-columns.ts';

export interface OverdueFleetsDeps {
  transact: Transact;
  presenceIn(sql: Database): Pick<PresenceRepository, 'countOverdue' | 'isAnyOverdue'>;
  overdueFleetsIn(sql: Database): OverdueFleetsRepository;
  noDataAlerts: {
    unannouncedIn(sql: Database): {
      /** Counts open alerts whose events were not published, up to the limit. */
      count(organizationId: string, limit: number): Promise<number>;
    };
    /** Returns the events, for the caller to publish, and the devices of at most `limit` alerts. */
    announce(
      tx: Transaction,
      organizationId: string,
      limit: number,
    ): Promise<{ devices: DeviceKey[]; events: DomainEvent[]; isLast: boolean }>;
  };
  /** Lets the alert that has escalated for the whole fleet escalate for itself again. */
  escalationsIn(sql: Database): { release(organizationId: string): Promise<void> };
  offlineEvents(tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]>;
  publish: Publish;
  /** Raises the alarm of the operator. */
  onBegan(fleet: OverdueFleet): void;
  onEnded(fleet: OverdueFleet): void;
}

const ANNOUNCED_MAX = 500;

export function createOverdueFleetsService(deps: OverdueFleetsDeps) {
  const { transact, presenceIn, overdueFleetsIn, noDataAlerts, offlineEvents, publish, onBegan, onEnded } =
    deps;

  function begin(fleet: OverdueFleet, at: Date): Promise<void> {
    return transact(async (tx) => {
      const { sql, afterCommit } = tx;
      if (!(await overdueFleetsIn(sql).insert(fleet))) return;
      const { organizationId } = fleet;
      const data = overdueFleetData(fleet);
      await publish(tx, [{ organizationId, type: 'fleet.silent', timestamp: at, data }]);
      afterCommit(() => onBegan(fleet));
    });
  }

  async function isOver(sql: Database, { organizationId, total }: StoredOverdueFleet): Promise<boolean> {
    const overdue = await noDataAlerts.unannouncedIn(sql).count(organizationId, overdueMax(total) + 1);
    return !isFleetOverdue({ overdue, total });
  }

  /** Returns whether there is more to do. */
  function endStep(organizationId: string): Promise<boolean> {
    return transact(async (tx) => {
      const { sql, afterCommit } = tx;
      const fleet = await overdueFleetsIn(sql).lock(organizationId);
      if (!fleet || !(fleet.isConfirmed || (await isOver(sql, fleet)))) return false;
      const { devices, events, isLast } = await noDataAlerts.announce(tx, organizationId, ANNOUNCED_MAX);
      await publish(tx, [...(await offlineEvents(tx, devices)), ...events]);
      if (!isLast) return true;
      await deps.escalationsIn(sql).release(organizationId);
      await overdueFleetsIn(sql).remove(organizationId);
      afterCommit(() => onEnded(fleet));
      return false;
    });
  }

  return {
    async beginNew(sql: Database, look: Omit<OverdueQuery, 'limit'>): Promise<void> {
      const counts = await presenceIn(sql).countOverdue(look);
      for (const fleet of counts.filter(isFleetOverdue)) await begin(fleet, look.now);
    },

    /** Ends none before all overdue devices are marked, because only those that are marked are counted. */
    async endPassed(sql: Database, look: Omit<OverdueQuery, 'limit'>): Promise<void> {
      const fleets = await overdueFleetsIn(sql).list();
      if (fleets.length === 0 || (await presenceIn(sql).isAnyOverdue(look))) return;
      for (const { organizationId } of fleets) {
        while (await endStep(organizationId));
      }
    },
  };
}
