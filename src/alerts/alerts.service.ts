/**
 * Opens and resolves alerts for reasons other than readings: missed deadlines, other rules, replaced loggers, archived
 * assets.
 */
import type { Database, Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { InTransaction, Transaction } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { OverdueDevice } from '../presence/presence.repository.ts';
import type { AlertRef } from './alert.ts';
import type { AlertBatchesRepository, NewAlert, OpenState } from './alert-batches.repository.ts';
import { alertEvent } from './alert-events.ts';
import type { StoredAlert } from './alerts.repository.ts';
import { type AlertState, isByRules, isCondition, isNoData, isOpen } from './device-alerts.ts';
import type { UnannouncedAlertsRepository } from './unannounced-alerts.repository.ts';

export interface AlertsServiceDeps {
  batchesIn(sql: Sql): AlertBatchesRepository;
  unannouncedIn(sql: Database): Pick<UnannouncedAlertsRepository, 'list'>;
  publish: Publish;
}

export function createAlertsService({ batchesIn, unannouncedIn, publish }: AlertsServiceDeps) {
  async function resolve(
    { sql }: InTransaction,
    devices: AssetRef[],
    isOver: (state: AlertState) => boolean,
  ): Promise<DomainEvent[]> {
    if (devices.length === 0) return [];
    const states = (await batchesIn(sql).lockOpenAlerts(devices)).filter(({ openAlerts }) =>
      openAlerts.some(isOver),
    );
    const resolved = await batchesIn(sql).resolve(states.flatMap((state) => refsOf(state, isOver)));
    await batchesIn(sql).updateOpenAlerts(
      states.map(({ openAlerts, ...device }) => ({
        ...device,
        openAlerts: openAlerts.filter((alert) => !isOver(alert)),
      })),
    );
    return resolved
      .filter(({ isAnnounced }) => isAnnounced)
      .map((alert) => alertEvent('alert.resolved', alert, alert.updatedAt));
  }

  /** Resolves the alerts that replaced rules have opened; the caller publishes the events. */
  const resolveTemperatures = (tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]> =>
    resolve(tx, devices, isByRules);

  return {
    /**
     * Opens an alert for each device that missed its deadline; the caller publishes the events of the
     * announced ones.
     */
    async openNoData(
      { sql }: InTransaction,
      overdue: OverdueDevice[],
      isAnnounced: (device: OverdueDevice) => boolean,
    ): Promise<DomainEvent[]> {
      if (overdue.length === 0) return [];
      const states = await batchesIn(sql).lockOpenAlerts(overdue);
      const openOf = new Map(states.map(({ assetId, openAlerts }) => [assetId, openAlerts]));
      const affected = overdue
        .map((device) => ({ device, openAlerts: openOf.get(device.assetId) ?? [] }))
        .filter(({ openAlerts }) => !openAlerts.some(isNoData));
      const created = await batchesIn(sql).insert(
        affected.map(({ device }) => noDataAlert(device, isAnnounced(device))),
      );
      await batchesIn(sql).updateOpenAlerts(
        affected.map(({ device: { organizationId, assetId }, openAlerts }, index) => {
          const { id: alertId } = created[index] as StoredAlert;
          return { organizationId, assetId, openAlerts: [...openAlerts, { type: 'no_data', alertId }] };
        }),
      );
      return created.filter((alert) => alert.isAnnounced).map(createdEvent);
    },

    /** Makes alerts that were opened without an event ordinary ones; the caller publishes the events. */
    async announce({ sql }: Transaction, organizationId: string, limit: number) {
      const listed = await unannouncedIn(sql).list(organizationId, limit);
      // A device that is back locks its state before it resolves its alert.
      await batchesIn(sql).lockOpenAlerts(listed);
      const announced = await batchesIn(sql).announce(listed);
      const devices = announced.map(({ assetId }) => ({ organizationId, assetId }));
      return { devices, events: announced.map(createdEvent), isLast: listed.length < limit };
    },

    /** Resolves the alerts of devices that are back; the caller publishes the events. */
    resolveNoData: (tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]> =>
      resolve(tx, devices, isNoData),

    resolveTemperatures,

    async onAlertRulesChanged(tx: InTransaction, devices: AssetRef[]): Promise<void> {
      await publish(tx, await resolveTemperatures(tx, devices));
    },

    /** The battery and the sensors of the earlier logger are gone. */
    async onReplaced(tx: InTransaction, devices: AssetRef[]): Promise<void> {
      await publish(tx, await resolve(tx, devices, isCondition));
    },

    async onArchived(tx: InTransaction, devices: AssetRef[]): Promise<void> {
      await publish(tx, await resolve(tx, devices, () => true));
    },
  };
}

const refsOf = (
  { organizationId, openAlerts }: OpenState,
  isOver: (state: AlertState) => boolean,
): AlertRef[] =>
  openAlerts
    .filter((state) => isOpen(state))
    .filter(isOver)
    .map(({ alertId }) => ({ organizationId, alertId: alertId as string }));

const createdEvent = (alert: StoredAlert): DomainEvent => alertEvent('alert.created', alert, alert.startedAt);

const noDataAlert = (
  { organizationId, assetId, serialNumber, expectedBy }: OverdueDevice,
  isAnnounced: boolean,
): NewAlert => ({
  organizationId,
  assetId,
  serialNumber,
  type: 'no_data',
  details: { expectedBy: expectedBy.toISOString() },
  startedAt: expectedBy,
  severity: 'critical',
  isAnnounced,
});
