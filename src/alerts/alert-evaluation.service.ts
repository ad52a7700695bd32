/**
 * Opens and resolves alerts by the readings of frames, in the transaction that stores these. The caller has
 * locked the states of the devices, so two batches never evaluate the same device at once.
 */
import type { Sql } from '../db/database.ts';
import type { DomainEvent } from '../db/domain-event.ts';
import { staleRead } from '../db/faults.ts';
import type { InTransaction } from '../db/transaction.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import type { StoredFrame } from '../measurements/stored-frame.ts';
import type { AlertDetails } from './alert.ts';
import type { AlertBatchesRepository, NewAlert } from './alert-batches.repository.ts';
import { breachEvents, transitionEvents } from './alert-events.ts';
import type { AlertStatesRepository } from './alert-states.repository.ts';
import type { StoredAlert } from './alerts.repository.ts';
import { createDeviceAlerts, type DeviceAlerts, type DeviceTransition } from './device-alerts.ts';
import type { EvaluateLate } from './late-excursions.service.ts';
import { toLateDevice } from './late-readings.ts';
import type { AlertState, OpenAlert } from './open-alert.ts';

export interface AlertEvaluationDeps {
  alertsIn(sql: Sql): Pick<AlertBatchesRepository, 'insert' | 'resolve'>;
  statesIn(sql: Sql): Pick<AlertStatesRepository, 'updateOpenAlerts' | 'shareLockMonitoredConfigs'>;
  evaluateLate: EvaluateLate;
}

type Opened = Extract<DeviceTransition, { kind: 'opened' }>;

interface EvaluatedFrame {
  stored: StoredFrame;
  transitions: DeviceTransition[];
}

interface EvaluatedDevice {
  device: StoredFrame['device'];
  frames: StoredFrame[];
  alerts: DeviceAlerts;
}

/** The caller publishes the returned events in the same transaction. */
export function createAlertEvaluation({ alertsIn, statesIn, evaluateLate }: AlertEvaluationDeps) {
  return async function evaluateAlerts(tx: InTransaction, frames: StoredFrame[]): Promise<DomainEvent[]> {
    const { sql } = tx;
    const devices = new Map<string, EvaluatedDevice>();
    const evaluated = frames.map((stored) => ({
      stored,
      transitions: alertsOf(stored, devices).evaluate(stored),
    }));
    const created = await insertOpened(sql, evaluated);
    const resolved = await alertsIn(sql).resolve([...devices.values()].flatMap(resolvedRefs));
    const lateEvents = await evaluateLateReadings(tx, [...devices.values()]);
    await statesIn(sql).updateOpenAlerts(
      [...devices.values()]
        .filter(({ alerts }) => alerts.hasChanged())
        .map(({ device: { organizationId, assetId }, alerts }) => ({
          organizationId,
          assetId,
          openAlerts: alerts.state(),
        })),
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

  /** Runs after the batch has stored its readings and opened its alerts, because it depends on both. */
  async function evaluateLateReadings(tx: InTransaction, devices: EvaluatedDevice[]): Promise<DomainEvent[]> {
    const late = devices.flatMap(({ frames, alerts }) => toLateDevice(frames, alerts.unended()) ?? []);
    const { events, unended } = await evaluateLate(tx, late);
    const evaluated = new Map(late.map((each) => [each.assetId, each.channels]));
    for (const { device, alerts } of devices) {
      const channels = evaluated.get(device.assetId);
      if (channels) alerts.setUnended(channels, unended.get(device.assetId) ?? []);
    }
    return events;
  }

  /** Also sets the ids of the open alerts. */
  async function insertOpened(sql: Sql, frames: EvaluatedFrame[]): Promise<Map<OpenAlert, StoredAlert>> {
    const opened = frames.flatMap(({ stored, transitions }) =>
      transitions.filter((each) => each.kind === 'opened').map((transition) => ({ stored, transition })),
    );
    await requireUnchangedRules(
      sql,
      opened.map(({ stored }) => stored),
    );
    const alerts = await alertsIn(sql).insert(opened.map(newAlert));
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
  async function requireUnchangedRules(sql: Sql, opening: StoredFrame[]): Promise<void> {
    if (opening.length === 0) return;
    const devices = new Map(opening.map(({ device }) => [device.assetId, device]));
    const current = await statesIn(sql).shareLockMonitoredConfigs([...devices.values()]);
    for (const [assetId, { config }] of devices) {
      const state = current.get(assetId);
      if (state && (!state.isActive || state.configId !== monitoredConfig(config.sync))) {
        throw staleRead('The alert rules of a device were replaced while a frame was evaluated');
      }
    }
  }
}

function alertsOf(stored: StoredFrame, devices: Map<string, EvaluatedDevice>): DeviceAlerts {
  const { device } = stored;
  const known = devices.get(device.assetId);
  known?.frames.push(stored);
  if (known) return known.alerts;
  const alerts = createDeviceAlerts(device.openAlerts as AlertState[]);
  devices.set(device.assetId, { device, frames: [stored], alerts });
  return alerts;
}

const resolvedRefs = ({ device: { organizationId }, alerts }: EvaluatedDevice) =>
  alerts.resolved().map((resolved) => ({ organizationId, ...resolved }));

const newAlert = ({
  stored: { device },
  transition,
}: {
  stored: StoredFrame;
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
