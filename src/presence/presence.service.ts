/** Finds overdue devices, and publishes that devices go offline and come back online. */
import type { Sql } from '../db/database.ts';
import type { DomainEvent, EventTypes, Publish } from '../db/domain-event.ts';
import { isFaultOfAll, SET_ASIDE_MS } from '../db/due-rows.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { inSlices } from '../process/pages.ts';
import { type AvailabilityRecord, createOutageTracker } from './ingress-availability.ts';
import type { OverdueFleetsRepository } from './overdue-fleets.repository.ts';
import type { OverdueDevice, OverdueQuery, PresenceRepository } from './presence.repository.ts';
import type { DeviceKey } from './presence-columns.ts';

type PresenceData = EventTypes['device.online' | 'device.offline'];

export interface PresenceServiceDeps {
  transact: Transact;
  presenceIn(
    sql: Sql,
  ): Pick<PresenceRepository, 'listDueChecks' | 'postponeChecks' | 'postponeCheck' | 'markOverdueOffline'>;
  overdueFleetsIn(sql: Sql): Pick<OverdueFleetsRepository, 'shareLock'>;
  readAvailability(): Promise<AvailabilityRecord>;
  /** The assets of the devices, as the API shows them. */
  assetsIn(sql: Sql): {
    listViews(devices: DeviceKey[]): Promise<Array<{ organizationId: string; view: PresenceData }>>;
  };
  /**
   * Updates alerts when devices are overdue, and when they are back; the states of the devices are locked.
   */
  noDataAlerts: {
    /** Opens alerts, without events for the devices that are not announced. */
    open(
      tx: InTransaction,
      overdue: OverdueDevice[],
      isAnnounced: (device: OverdueDevice) => boolean,
    ): Promise<DomainEvent[]>;
    resolve(tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]>;
    /** Ids of the assets whose last `device.offline` event was suppressed. */
    listUnannounced(sql: Sql, devices: DeviceKey[]): Promise<Set<string>>;
  };
  /** One event and one alarm for each fleet: see overdue-fleets.service.ts. */
  beginOverdueFleets(look: Look): Promise<void>;
  endOverdueFleets(look: Look): Promise<void>;
  publish: Publish;
  now(): Date;
  /** Called for a device that could not be marked offline; the others are. */
  onSetAside(device: DeviceKey, error: unknown): void;
}

type Look = Omit<OverdueQuery, 'limit'>;

/** Per transaction, so that none locks many devices for long. */
const OVERDUE_BATCH_MAX = 500;
const POSTPONED_BATCH_MAX = 500;
/** Of many batches: each list looks up the overdue devices among those that are due, too. */
const DUE_LISTED_MAX = 50_000;

export function createPresenceService(deps: PresenceServiceDeps) {
  const { transact, presenceIn, overdueFleetsIn, noDataAlerts, publish, now } = deps;
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

  /** Returns the number of devices. */
  async function postponeListed(look: Look): Promise<number> {
    const due = await transact(({ sql }) =>
      presenceIn(sql).listDueChecks({ ...look, limit: DUE_LISTED_MAX }),
    );
    let postponed = 0;
    for (const batch of inSlices(due, POSTPONED_BATCH_MAX))
      postponed += await transact(({ sql }) => presenceIn(sql).postponeChecks(look, batch));
    return postponed;
  }

  /** Events for devices that came back, except those whose absence was not published. */
  async function onlineEvents(tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]> {
    if (devices.length === 0) return [];
    const unannounced = await noDataAlerts.listUnannounced(tx.sql, devices);
    return presenceEvents(
      tx,
      'device.online',
      devices.filter(({ assetId }) => !unannounced.has(assetId)),
    );
  }

  /** Returns the number of devices. Tries halves when they cannot be marked together. */
  async function sweepBatch(look: Look, limit = OVERDUE_BATCH_MAX): Promise<number> {
    let overdue: OverdueDevice[] = [];
    try {
      await transact(async (tx) => {
        const { sql } = tx;
        const overdueFleets = await overdueFleetsIn(sql).shareLock();
        const isAnnounced = ({ organizationId }: DeviceKey) => !overdueFleets.has(organizationId);
        overdue = await presenceIn(sql).markOverdueOffline({ ...look, limit });
        const alertEvents = await noDataAlerts.open(tx, overdue, isAnnounced);
        const offline = await presenceEvents(tx, 'device.offline', overdue.filter(isAnnounced));
        await publish(tx, [...offline, ...alertEvents]);
      });
    } catch (error) {
      const [first, ...others] = overdue;
      if (!first || isFaultOfAll(error)) throw error;
      if (others.length === 0) await setAside(first, error);
      else {
        const half = Math.ceil(overdue.length / 2);
        await sweepBatch(look, half);
        await sweepBatch(look, overdue.length - half);
      }
    }
    return overdue.length;
  }

  async function setAside({ organizationId, assetId }: OverdueDevice, error: unknown): Promise<void> {
    const until = new Date(now().getTime() + SET_ASIDE_MS);
    await transact(({ sql }) => presenceIn(sql).postponeCheck({ organizationId, assetId }, until));
    deps.onSetAside({ organizationId, assetId }, error);
  }

  return {
    /**
     * Marks all overdue devices offline. Counts them first, because devices of an overdue fleet get no
     * individual event.
     */
    async sweepOffline(): Promise<void> {
      const at = now();
      const look = { now: at, ...tracker.excuses(await deps.readAvailability(), at) };
      // Batches may be smaller than their limits, because they skip locked rows.
      while ((await postponeListed(look)) > 0);
      await deps.beginOverdueFleets(look);
      while ((await sweepBatch(look)) > 0);
      await deps.endOverdueFleets(look);
    },

    /** Used by batches of frames, which resolve the alerts of their devices themselves. */
    onlineEvents,
    offlineEvents: (tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]> =>
      presenceEvents(tx, 'device.offline', devices),

    /** For devices that came back online without a frame; the caller publishes the events. */
    async backWithoutFrame(tx: InTransaction, devices: DeviceKey[]): Promise<DomainEvent[]> {
      if (devices.length === 0) return [];
      return [...(await noDataAlerts.resolve(tx, devices)), ...(await onlineEvents(tx, devices))];
    },
  };
}
