/** What customers are told of alerts. */
import type { DomainEvent } from '../db/domain-event.ts';
import { type FrameData, frameData, frameEnvelope } from '../measurements/measurement-events.ts';
import type { StoredFrame } from '../measurements/stored-frame.ts';
import { type Alert, type AlertView, alertView } from './alert.ts';
import type { Bounds } from './alert-definition.ts';
import type { AlertTransition, OpenAlert } from './alert-state-machine.ts';
import type { StoredAlert } from './alerts.repository.ts';

export interface BreachData extends FrameData {
  alertId: string;
  bounds: Bounds;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'data.measurement.alert': BreachData;
    'alert.created': AlertView;
    'alert.resolved': AlertView;
  }
}

export const alertEvent = (
  type: 'alert.created' | 'alert.resolved',
  { organizationId, ...alert }: Alert & { organizationId: string },
  timestamp: Date,
): DomainEvent => ({
  organizationId,
  type,
  timestamp,
  data: alertView(alert),
});

/**
 * In the order in which things happened, each at the time of the reading that did it; what no reading ended, because
 * the device is back or runs other rules, last.
 */
export function transitionEvents(
  steps: AlertTransition[],
  created: ReadonlyMap<OpenAlert, StoredAlert>,
  resolved: Map<string, StoredAlert>,
): DomainEvent[] {
  const byReadings = steps.flatMap((step) => {
    if (step.kind === 'breached') return [];
    const { alert, reading } = step;
    const stored = step.kind === 'opened' ? created.get(alert) : resolved.get(alert.alertId as string);
    if (!stored) return [];
    if (step.kind === 'closed') resolved.delete(stored.id);
    return [
      alertEvent(step.kind === 'opened' ? 'alert.created' : 'alert.resolved', stored, reading.measuredAt),
    ];
  });
  const byOthers = [...resolved.values()].map((alert) =>
    alertEvent('alert.resolved', alert, alert.updatedAt),
  );
  return [...byReadings, ...byOthers];
}

/** One for each alert that the frame has a reading in breach for; late readings breach nothing. */
export function breachEvents(stored: StoredFrame, steps: AlertTransition[]): DomainEvent[] {
  if (!stored.asset.subscribed.has('data.measurement.alert')) return [];
  const breached = new Map(
    steps.flatMap((step) =>
      step.kind === 'breached' ? [[step.alert, step.definition.bounds] as const] : [],
    ),
  );
  return [...breached].flatMap(([{ alertId }, bounds]) =>
    frameData(stored, { alertId: alertId as string, bounds }).map((data) => ({
      ...frameEnvelope(stored),
      type: 'data.measurement.alert' as const,
      data,
    })),
  );
}
