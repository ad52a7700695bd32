/** The events of alerts. */
import type { DomainEvent } from '../db/domain-event.ts';
import type { ReceivedFrame } from '../measurements/frame.ts';
import { type FrameData, frameData, frameEnvelope } from '../measurements/measurement-events.ts';
import { type AlertView, alertView } from './alert.ts';
import type { Bounds } from './alert-definition.ts';
import type { StoredAlert } from './alerts.repository.ts';
import { type DeviceTransition, type OpenAlert, timeOf } from './device-alerts.ts';

export interface BreachData extends FrameData {
  alertId: string;
  bounds: Bounds;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'data.measurement.alert': BreachData;
    'alert.created': AlertView;
    'alert.acknowledged': AlertView;
    'alert.resolved': AlertView;
  }
}

export const alertEvent = (
  type: 'alert.created' | 'alert.acknowledged' | 'alert.resolved',
  alert: StoredAlert,
  timestamp: Date,
): DomainEvent => ({
  organizationId: alert.organizationId,
  type,
  timestamp,
  data: alertView(alert),
});

/**
 * Events in the order of the readings, each at the time of its reading or frame. Alerts that were resolved by
 * other causes (the device is back, or has other rules) come last.
 */
export function transitionEvents(
  transitions: DeviceTransition[],
  created: ReadonlyMap<OpenAlert, StoredAlert>,
  resolved: Map<string, StoredAlert>,
): DomainEvent[] {
  const byReadings = transitions.flatMap((transition) => {
    if (transition.kind === 'breach') return [];
    const { kind, alert } = transition;
    const stored = kind === 'opened' ? created.get(alert) : resolved.get(alert.alertId as string);
    if (!stored) return [];
    if (kind === 'resolved') resolved.delete(stored.id);
    return [alertEvent(kind === 'opened' ? 'alert.created' : 'alert.resolved', stored, timeOf(transition))];
  });
  const byOthers = [...resolved.values()].map((alert) =>
    alertEvent('alert.resolved', alert, alert.updatedAt),
  );
  return [...byReadings, ...byOthers];
}

/** Each event repeats the readings of the frame. */
const BREACH_EVENTS_MAX = 20;

/** One event with the frame for each alert that it breaches, those of its latest breaches; late readings are left out. */
export function breachEvents(stored: ReceivedFrame, transitions: DeviceTransition[]): DomainEvent[] {
  if (!stored.device.subscribed.has('data.measurement.alert')) return [];
  const latestFirst = new Map(
    transitions
      .toReversed()
      .flatMap((transition) =>
        transition.kind === 'breach' ? [[transition.alert, transition.definition.bounds] as const] : [],
      ),
  );
  const breached = [...latestFirst]
    .slice(0, BREACH_EVENTS_MAX)
    .reverse()
    .map(([{ alertId }, bounds]) => ({ alertId: alertId as string, bounds }));
  return frameData(stored, breached).map((data) => ({
    ...frameEnvelope(stored),
    type: 'data.measurement.alert' as const,
    data,
  }));
}
