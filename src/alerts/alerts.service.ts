/**
 * What readings and silence mean: alerts open and close in the transaction of the frame that says so, with their events.
 * The state row of a device is held by whoever calls, so that no two judge the same device at once.
 */
import { type Asset, assetView } from '../assets/asset.ts';
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import { staleRead } from '../db/faults.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { DeviceBackOnline } from '../devices/device.ts';
import { measurementEvents } from '../measurements/measurement-events.ts';
import type { StoredFrame } from '../measurements/stored-frame.ts';
import type { IngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import { createOutageTracker, type Outage } from '../presence/ingress-availability.ts';
import type { AlertType } from './alert.ts';
import { alertEvent, breachEvents, transitionEvents } from './alert-events.ts';
import type { AlertTransition, OpenAlert, Side } from './alert-state-machine.ts';
import type { AlertStatesRepository, OpenState, OverdueDevice } from './alert-states.repository.ts';
import type { AlertsRepository, NewAlert, StoredAlert } from './alerts.repository.ts';
import { createDeviceAlerts, type DeviceAlerts } from './device-alerts.ts';
import { type OpenAlerts, parseOpenAlerts, toStoredOpenAlerts } from './open-alerts.ts';

export interface AlertsServiceDeps {
  transact: Transact;
  alertsIn(sql: Sql): Pick<AlertsRepository, 'insert' | 'resolve'>;
  statesIn(sql: Sql): AlertStatesRepository;
  listeners: Pick<IngressAvailabilityRepository, 'readAvailability'>;
  assetsIn(sql: Sql): {
    listByIds(refs: AssetRef[]): Promise<Array<Asset & { organizationId: string }>>;
  };
  publish: Publish;
  now(): Date;
}

const OVERDUE_BATCH_MAX = 500;
const TYPE_OF_SIDE: Record<Side, AlertType> = { high: 'high_temp', low: 'low_temp' };

export function createAlertsService(deps: AlertsServiceDeps) {
  const { alertsIn, statesIn, publish, now } = deps;
  const watch = createOutageTracker();

  /** Opens, closes and tells what a batch of frames says. */
  async function evaluate({ sql }: InTransaction, taken: StoredFrame[]): Promise<void> {
    const devices = new Map<string, DeviceAlerts>();
    const judged = taken.map((frame) => {
      const { assetId, openAlerts } = frame.asset;
      const device = devices.get(assetId) ?? createDeviceAlerts(parseOpenAlerts(openAlerts));
      devices.set(assetId, device);
      return { frame, steps: device.take(frame) };
    });
    const opened = judged.flatMap(({ frame, steps }) =>
      steps.flatMap((step) =>
        step.kind === 'opened' ? [{ alert: step.alert, stored: newAlert(frame, step) }] : [],
      ),
    );
    await holdRulesOf(
      sql,
      judged.flatMap(({ frame, steps }) => (steps.some(({ kind }) => kind === 'opened') ? [frame] : [])),
    );
    const created = new Map<OpenAlert, StoredAlert>();
    for (const [index, stored] of (await alertsIn(sql).insert(opened.map((each) => each.stored))).entries()) {
      const { alert } = opened[index] as (typeof opened)[number];
      alert.alertId = stored.id;
      created.set(alert, stored);
    }
    const closedIds = [...devices.values()].flatMap((device) => device.closedIds());
    const resolved = new Map((await alertsIn(sql).resolve(closedIds)).map((alert) => [alert.id, alert]));
    const changed = [...devices].filter(([, device]) => device.hasChanged());
    await statesIn(sql).updateOpenAlerts(
      changed.map(([assetId, device]) => ({ assetId, openAlerts: toStoredOpenAlerts(device.open()) })),
    );
    const back = taken.filter(({ cameOnline }) => cameOnline).map(({ asset }) => asset);
    await publish({ sql }, [
      ...taken.flatMap(measurementEvents),
      ...judged.flatMap(({ frame, steps }) => breachEvents(frame, steps)),
      ...transitionEvents(
        judged.flatMap(({ steps }) => steps),
        created,
        resolved,
      ),
      ...(await contactEvents(sql, 'device.online', back)),
    ]);
  }

  /** Whoever replaces rules ends the alerts that it sees: one that is being opened by the old ones would stay. */
  async function holdRulesOf(sql: Sql, opening: StoredFrame[]): Promise<void> {
    if (opening.length === 0) return;
    const present = await statesIn(sql).shareLockRules([
      ...new Set(opening.map(({ asset }) => asset.assetId)),
    ]);
    const isReplaced = ({ asset: { assetId }, rulesId }: StoredFrame) =>
      present.has(assetId) && present.get(assetId) !== rulesId;
    if (opening.some(isReplaced)) {
      throw staleRead('Rules were replaced while a frame was judged by them');
    }
  }

  async function contactEvents(
    sql: Sql,
    type: 'device.online' | 'device.offline',
    devices: AssetRef[],
  ): Promise<DomainEvent[]> {
    if (devices.length === 0) return [];
    const assets = await deps.assetsIn(sql).listByIds(devices);
    return assets.map(({ organizationId, ...asset }) => ({
      organizationId,
      type,
      timestamp: now(),
      data: assetView(asset),
    }));
  }

  async function watchBatch(outages: Outage[]): Promise<number> {
    return deps.transact(async ({ sql }) => {
      const silent = await statesIn(sql).markOverdueOffline({
        now: now(),
        outages,
        limit: OVERDUE_BATCH_MAX,
      });
      const fresh = silent.filter(({ openAlerts }) => parseOpenAlerts(openAlerts).noData === null);
      const stored = await alertsIn(sql).insert(fresh.map(silenceAlert));
      await statesIn(sql).updateOpenAlerts(
        fresh.map(({ assetId, openAlerts }, index) => ({
          assetId,
          openAlerts: toStoredOpenAlerts({
            ...parseOpenAlerts(openAlerts),
            noData: (stored[index] as StoredAlert).id,
          }),
        })),
      );
      await publish({ sql }, [
        ...(await contactEvents(sql, 'device.offline', silent)),
        ...stored.map((alert) => alertEvent('alert.created', alert, alert.timestamp)),
      ]);
      return silent.length;
    });
  }

  return {
    evaluate,

    /** Devices whose expected contact was missed: offline, with an alert. */
    async sweepOffline(): Promise<void> {
      const outages = watch.outages(await deps.listeners.readAvailability());
      while ((await watchBatch(outages)) === OVERDUE_BATCH_MAX) {
        // More of them: a batch each, so that no transaction holds many devices for long.
      }
    },

    /** A device that was missed may come back with a report, too. */
    async markOnline({ sql }: InTransaction, returned: DeviceBackOnline[]): Promise<void> {
      if (returned.length === 0) return;
      await endOpen({ sql }, returned, ({ temperature }) => ({ temperature, noData: null }));
      await publish({ sql }, await contactEvents(sql, 'device.online', returned));
    },

    /** Other rules guard these devices from now on: what the old ones had opened is over. */
    onAlertRulesChanged: (tx: InTransaction, devices: AssetRef[]): Promise<void> =>
      end(
        tx,
        devices.map(({ assetId }) => assetId),
        ({ noData }) => ({ temperature: [], noData }),
      ),

    /** Nobody watches these devices any more. */
    archived: (tx: InTransaction, assetIds: string[]): Promise<void> =>
      end(tx, assetIds, () => ({ temperature: [], noData: null })),
  };

  async function end(
    { sql }: InTransaction,
    assetIds: string[],
    keep: (open: OpenAlerts) => OpenAlerts,
  ): Promise<void> {
    if (assetIds.length === 0) return;
    await endOpen({ sql }, await statesIn(sql).lockOpenAlerts(assetIds), keep);
  }

  /** The rows of the states are held. */
  async function endOpen(
    { sql }: InTransaction,
    states: OpenState[],
    keep: (open: OpenAlerts) => OpenAlerts,
  ): Promise<void> {
    const ended = states.flatMap(({ assetId, openAlerts }) => {
      const before = parseOpenAlerts(openAlerts);
      const after = keep(before);
      const ids = idsOf(before).filter((id) => !idsOf(after).includes(id));
      return ids.length > 0 ? [{ assetId, openAlerts: toStoredOpenAlerts(after), ids }] : [];
    });
    if (ended.length === 0) return;
    const closed = await alertsIn(sql).resolve(ended.flatMap(({ ids }) => ids));
    await statesIn(sql).updateOpenAlerts(ended);
    await publish(
      { sql },
      closed.map((alert) => alertEvent('alert.resolved', alert, alert.updatedAt)),
    );
  }
}

const idsOf = ({ temperature, noData }: OpenAlerts): string[] =>
  [...temperature.map(({ alertId }) => alertId), noData].filter((id) => id !== null);

const newAlert = (
  { asset: { organizationId, assetId, serialNumber } }: StoredFrame,
  { alert, definition, reading }: Extract<AlertTransition, { kind: 'opened' }>,
): NewAlert => ({
  organizationId,
  assetId,
  serialNumber,
  type: TYPE_OF_SIDE[alert.side],
  details: { channel: alert.channel, value: reading.value, bounds: definition.bounds },
  timestamp: reading.measuredAt,
});

const silenceAlert = ({ organizationId, assetId, serialNumber, expectedBy }: OverdueDevice): NewAlert => ({
  organizationId,
  assetId,
  serialNumber,
  type: 'no_data',
  details: { expectedBy: expectedBy.toISOString() },
  timestamp: expectedBy,
});
