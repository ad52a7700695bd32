/** Finds devices that are overdue, and publishes that devices go offline and come back online. */
import type { Sql } from '../db/database.ts';
import type { DomainEvent, EventTypes, Publish } from '../db/domain-event.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { type AvailabilityRecord, createOutageTracker, type Outage } from './ingress-availability.ts';
import type { OverdueDevice, PresenceRepository } from './presence.repository.ts';
import type { DeviceKey } from './presence-columns.ts';

type PresenceData = EventTypes['device.online' | 'device.offline'];

export interface PresenceServiceDeps {
  transact: Transact;
  presenceIn(sql: Sql): Pick<PresenceRepository, 'postponeChecks' | 'markOverdueOffline'>;
  readAvailability(): Promise<AvailabilityRecord>;
  /** The assets of the devices, as the API shows them. */
  assetsIn(sql: Sql): {
    listViews(devices: DeviceKey[]): Promise<Array<{ organizationId: string; view: PresenceData }>>;
  };
  /** What becomes of alerts when devices are overdue, and when they are back; the states of the devices are locked. */
  openNoDataAlerts(tx: InTransaction, overdue: OverdueDevice[]): Promise<DomainEvent[]>;
  resolveNoDataAlerts(tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]>;
  publish: Publish;
  now(): Date;
}

/** Per transaction, so that none locks many devices for long. */
const OVERDUE_BATCH_MAX = 500;
const POSTPONED_BATCH_MAX = 500;

export function createPresenceService(deps: PresenceServiceDeps) {
  const { transact, presenceIn, openNoDataAlerts, resolveNoDataAlerts, publish, now } = deps;
  const tracker = createOutageTracker();

  async function presenceEvents(
    { sql }: InTransaction,
    type: 'device.online' | 'device.offline',
    devices: DeviceKey[],
  ): Promise<DomainEvent[]> {
    if (devices.length === 0) return [];
    const assets = await deps.assetsIn(sql).listViews(devices);
    return assets.map(({ organizationId, view }) => ({ organizationId, type, timestamp: now(), data: view }));
  }

  const postponeBatch = (outages: Outage[]): Promise<number> =>
    transact(({ sql }) =>
      presenceIn(sql).postponeChecks({ now: now(), outages, limit: POSTPONED_BATCH_MAX }),
    );

  async function sweepBatch(outages: Outage[]): Promise<number> {
    return transact(async ({ sql }) => {
      const overdue = await presenceIn(sql).markOverdueOffline({
        now: now(),
        outages,
        limit: OVERDUE_BATCH_MAX,
      });
      const alertEvents = await openNoDataAlerts({ sql }, overdue);
      await publish({ sql }, [...(await presenceEvents({ sql }, 'device.offline', overdue)), ...alertEvents]);
      return overdue.length;
    });
  }

  return {
    /** Marks all overdue devices offline. */
    async sweepOffline(): Promise<void> {
      const outages = tracker.outages(await deps.readAvailability());
      while ((await postponeBatch(outages)) === POSTPONED_BATCH_MAX);
      while ((await sweepBatch(outages)) === OVERDUE_BATCH_MAX);
    },

    /** For a batch of frames, which end the alerts of their devices themselves. */
    onlineEvents: (tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]> =>
      presenceEvents(tx, 'device.online', devices),

    /** For devices that came back online without a frame. */
    async onCameOnline(tx: InTransaction, devices: DeviceKey[]): Promise<void> {
      if (devices.length === 0) return;
      const alertEvents = await resolveNoDataAlerts(tx, devices);
      await publish(tx, [...alertEvents, ...(await presenceEvents(tx, 'device.online', devices))]);
    },
  };
}
