/**
 * Begins the silence of a fleet, with one event and one alarm, and ends it: it is over when no more devices are still
 * silent than may be overdue at once, or when the operator has confirmed it. Those that are silent then go offline like any other
 * device, with an event each; those that came back meanwhile never were offline to anybody.
 */
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { type FleetSilence, fleetSilentData, isFleetSilent, silentMax } from './fleet-silence.ts';
import type { FleetSilencesRepository, OpenSilence } from './fleet-silences.repository.ts';
import type { OverdueQuery, PresenceRepository } from './presence.repository.ts';
import type { DeviceKey } from './presence-columns.ts';

export interface FleetSilenceDeps {
  transact: Transact;
  presenceIn(sql: Sql): Pick<PresenceRepository, 'countOverdue'>;
  silencesIn(sql: Sql): FleetSilencesRepository;
  noDataAlerts: {
    /** Open ones whose events were not published; counts no further than the limit. */
    countUnannounced(tx: InTransaction, organizationId: string, limit: number): Promise<number>;
    /** Publishes nothing itself: answers with the events, and with the devices of at most so many alerts. */
    announce(
      tx: InTransaction,
      organizationId: string,
      limit: number,
    ): Promise<{ devices: DeviceKey[]; events: DomainEvent[]; isLast: boolean }>;
  };
  offlineEvents(tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]>;
  publish: Publish;
  /** The alarm of the operator. */
  onBegan(silence: FleetSilence): void;
  onEnded(silence: FleetSilence): void;
}

const ANNOUNCED_MAX = 500;

export function createFleetSilenceService(deps: FleetSilenceDeps) {
  const { transact, presenceIn, silencesIn, noDataAlerts, offlineEvents, publish, onBegan, onEnded } = deps;

  function begin(silence: FleetSilence, at: Date): Promise<void> {
    return transact(async ({ sql, afterCommit }) => {
      if (!(await silencesIn(sql).insert(silence))) return;
      const { organizationId } = silence;
      const data = fleetSilentData(silence);
      await publish({ sql }, [{ organizationId, type: 'fleet.silent', timestamp: at, data }]);
      afterCommit(() => onBegan(silence));
    });
  }

  async function isOver(tx: InTransaction, { organizationId, total }: OpenSilence): Promise<boolean> {
    const silent = await noDataAlerts.countUnannounced(tx, organizationId, silentMax(total) + 1);
    return !isFleetSilent({ silent, total });
  }

  /** Answers whether there is more to do. */
  function endStep(organizationId: string): Promise<boolean> {
    return transact(async ({ sql, afterCommit }) => {
      const silence = await silencesIn(sql).lock(organizationId);
      if (!silence || !(silence.isConfirmed || (await isOver({ sql }, silence)))) return false;
      const { devices, events, isLast } = await noDataAlerts.announce({ sql }, organizationId, ANNOUNCED_MAX);
      await publish({ sql }, [...(await offlineEvents({ sql }, devices)), ...events]);
      if (!isLast) return true;
      await silencesIn(sql).remove(organizationId);
      afterCommit(() => onEnded(silence));
      return false;
    });
  }

  return {
    async beginNew(sql: Sql, overdue: Omit<OverdueQuery, 'limit'>): Promise<void> {
      const counts = await presenceIn(sql).countOverdue(overdue);
      for (const silence of counts.filter(isFleetSilent)) await begin(silence, overdue.now);
    },

    async endThoseOver(sql: Sql): Promise<void> {
      for (const { organizationId } of await silencesIn(sql).list()) {
        while (await endStep(organizationId));
      }
    },
  };
}
