/**
 * Opens and resolves alerts by the readings of frames, in the transaction that stores these. The caller has
 * locked the states of the devices, so two batches never evaluate the same device at once.
 */
import type { Sql } from '../db/database.ts';
import type { DomainEvent } from '../db/domain-event.ts';
import { staleRead } from '../db/faults.ts';
import { sentTogether } from '../db/query.ts';
import type { InTransaction } from '../db/transaction.ts';
import { refOf } from '../devices/asset-ref.ts';
import { configurationId } from '../devices/configuration.ts';
import type { Device } from '../devices/device.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import type { ReceivedFrame } from '../measurements/frame.ts';
import type { AlertDetails } from './alert.ts';
import type { AlertBatchesRepository, NewAlert } from './alert-batches.repository.ts';
import { breachEvents, transitionEvents } from './alert-events.ts';
import type { StoredAlert } from './alerts.repository.ts';
import {
  type AlertState,
  createDeviceAlerts,
  type DeviceAlerts,
  type DeviceTransition,
  isByRules,
  type OpenAlert,
} from './device-alerts.ts';
import type { EvaluateLate } from './late-excursions.service.ts';
import { toLateDevice } from './late-ranges.ts';

interface AlertEvaluationDeps {
  batchesIn(
    sql: Sql,
  ): Pick<AlertBatchesRepository, 'insert' | 'resolve' | 'updateOpenAlerts' | 'shareLockMonitoredConfigs'>;
  evaluateLate: EvaluateLate;
}

type Opened = Extract<DeviceTransition, { kind: 'opened' }>;

interface EvaluatedFrame {
  stored: ReceivedFrame;
  alerts: DeviceAlerts;
  transitions: DeviceTransition[];
}

/** The caller publishes the returned events in the same transaction. */
export function createAlertEvaluation({ batchesIn, evaluateLate }: AlertEvaluationDeps) {
  return async function evaluateAlerts(tx: InTransaction, frames: ReceivedFrame[]): Promise<DomainEvent[]> {
    const { sql } = tx;
    const evaluated = frames.map(evaluate);
    const created = await insertOpened(sql, evaluated);
    const resolved = await batchesIn(sql).resolve(evaluated.flatMap(resolvedRefs));
    const lateEvents = await evaluateLateReadings(tx, evaluated);
    await batchesIn(sql).updateOpenAlerts(
      evaluated
        .filter(({ alerts }) => alerts.hasChanged())
        .map(({ stored: { device }, alerts }) => ({ ...refOf(device), openAlerts: alerts.state() })),
    );
    return [
      ...evaluated.flatMap(({ stored, transitions }) => breachEvents(stored, transitions)),
      ...transitionEvents(
        evaluated.flatMap(({ transitions }) => transitions),
        created,
        new Map(resolved.filter(({ isAnnounced }) => isAnnounced).map((alert) => [alert.id, alert])),
      ),
      ...lateEvents,
    ];
  };

  /** Decides by everything that the batch has stored, including the alerts that it has opened. */
  async function evaluateLateReadings(tx: InTransaction, frames: EvaluatedFrame[]): Promise<DomainEvent[]> {
    const late = frames.flatMap(({ stored, alerts }) => toLateDevice(stored, alerts.unended()) ?? []);
    const { events, unended } = await evaluateLate(tx, late);
    const evaluated = new Map(late.map((each) => [each.assetId, each.channels]));
    for (const { stored, alerts } of frames) {
      const { assetId } = stored.device;
      const channels = evaluated.get(assetId);
      if (channels) alerts.setUnended(channels, unended.get(assetId) ?? []);
    }
    return events;
  }

  /** Also sets the ids of the open alerts. */
  async function insertOpened(sql: Sql, frames: EvaluatedFrame[]): Promise<Map<OpenAlert, StoredAlert>> {
    const opened = frames.flatMap(({ stored, transitions }) =>
      transitions.filter((each) => each.kind === 'opened').map((transition) => ({ stored, transition })),
    );
    const [, alerts] = await sentTogether([
      requireUnchangedRules(
        sql,
        opened.map(({ stored }) => stored),
      ),
      batchesIn(sql).insert(opened.map(newAlert)),
    ]);
    return new Map(
      opened.map(({ transition: { alert } }, index) => {
        const inserted = alerts[index] as StoredAlert;
        alert.alertId = inserted.id;
        return [alert, inserted];
      }),
    );
  }

  /**
   * Checks that the rules are still the ones that were read: otherwise the batch runs again by the new ones.
   * A replacement that is under way waits for the locked states, and then resolves the alerts.
   */
  async function requireUnchangedRules(sql: Sql, opening: ReceivedFrame[]): Promise<void> {
    if (opening.length === 0) return;
    const devices = new Map(opening.map(({ device }) => [device.assetId, device]));
    const current = await batchesIn(sql).shareLockMonitoredConfigs([...devices.values()]);
    for (const [assetId, device] of devices) {
      const state = current.get(assetId);
      if (state && (!state.isActive || state.configId !== monitoredConfigId(device))) {
        throw staleRead('The alert rules of a device were replaced while a frame was evaluated');
      }
    }
  }
}

function evaluate(stored: ReceivedFrame): EvaluatedFrame {
  const before = stored.device.openAlerts as AlertState[];
  // The change of the rules has resolved those already.
  const alerts = createDeviceAlerts(
    stored.hasOtherAlertRules ? before.filter((state) => !isByRules(state)) : before,
  );
  return { stored, alerts, transitions: alerts.evaluate(stored) };
}

function monitoredConfigId({ organizationId, sync }: Device): string | null {
  const config = monitoredConfig(sync);
  return config && configurationId(organizationId, config);
}

const resolvedRefs = ({ stored: { device }, alerts }: EvaluatedFrame) =>
  alerts.resolved().map((resolved) => ({ organizationId: device.organizationId, ...resolved }));

const newAlert = ({
  stored: { device },
  transition,
}: {
  stored: ReceivedFrame;
  transition: Opened;
}): NewAlert => ({
  organizationId: device.organizationId,
  assetId: device.assetId,
  serialNumber: device.serialNumber,
  type: transition.alert.type,
  details: detailsOf(transition),
  startedAt: 'first' in transition ? transition.first.measuredAt : transition.at,
  severity: 'definition' in transition ? transition.definition.severity : 'critical',
  isAnnounced: true,
});

function detailsOf(opened: Opened): AlertDetails {
  if ('details' in opened) return opened.details;
  const { alert, first, definition } = opened;
  return { channel: alert.channel, value: first.value, bounds: definition.bounds };
}
