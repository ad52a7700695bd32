/** Rules of the start page: the order of alerts, their notifications, and trouble of receivers. */
import type { AlertType, AlertView } from '../alerts/alert.ts';
import type { Severity } from '../devices/alert-terms.ts';
import type { AlertNotification, MadeStep } from './alert-notifications.repository.ts';
import type { ChannelView, EscalationView, WebhookView } from './answers.ts';
import { labelsOf, recipientsOf } from './shown-channels.ts';
import type { NewAlerts } from './start.repository.ts';
import { labelsOfStep } from './step-outcomes.ts';

const URGENCY: readonly AlertType[] = ['high_temp', 'low_temp', 'sensor_error', 'no_data', 'low_battery'];

/** Critical ones first, then by type, then the oldest. */
export const byUrgency = (a: AlertView, b: AlertView): number =>
  Number(a.severity === 'warning') - Number(b.severity === 'warning') ||
  URGENCY.indexOf(a.type) - URGENCY.indexOf(b.type) ||
  (a.id < b.id ? -1 : 1);

const ALERTS_PER_TYPE = 10;

/**
 * Reads of new alerts: ten of each type, so that a fleet without contact hides no warm fridge. Warnings get the places that
 * critical alerts leave, and nothing is read where there is none, because that would read all resolved alerts.
 */
export const toAlertReads = (counts: readonly NewAlerts[]) =>
  counts
    .map(({ type, severity }) => ({ type, severity, limit: placesOf(counts, type, severity) }))
    .filter(({ limit }) => limit > 0);

function placesOf(counts: readonly NewAlerts[], type: AlertType, severity: Severity): number {
  const isOfMoreUrgent = (each: NewAlerts) => each.type === type && each.severity === 'critical';
  return ALERTS_PER_TYPE - (severity === 'critical' ? 0 : (counts.find(isOfMoreUrgent)?.count ?? 0));
}

export interface Notified {
  /** Names of channels, or their addresses. */
  notified: string[];
  /** Null: no further message follows. */
  next: { targets: string[]; at: string } | null;
}

interface Known {
  notifications: readonly AlertNotification[];
  steps: readonly MadeStep[];
  channels: readonly ChannelView[];
  escalations: readonly EscalationView[];
}

/**
 * Channels that know of the alert, and those that follow, by their own delay or by the escalation. Its steps are made as
 * their entries say, whatever has become of the escalation since.
 */
export function toNotified(
  { id, escalation }: AlertView,
  { notifications, steps: made, channels, escalations }: Known,
): Notified {
  const own = notifications.filter(({ alertId }) => alertId === id);
  const { steps = [] } = escalations.find((each) => each.id === escalation?.id) ?? {};
  const known = own.filter(({ notifiedAt }) => notifiedAt !== null).map(({ channelId }) => channelId);
  const reached = made
    .filter(({ alertId }) => alertId === id)
    .flatMap(({ comment }) => labelsOfStep(comment, channels));
  return {
    notified: [...new Set([...labelsOf(channels, known), ...reached])],
    next: earliest([
      ...own.map(({ channelId, dueAt }) => ({
        targets: labelsOf(channels, [channelId]),
        at: dueAt?.toISOString() ?? null,
      })),
      {
        targets: recipientsOf(channels, (steps[escalation?.step ?? 0] ?? steps.at(-1))?.channelIds ?? []),
        at: escalation?.nextStepAt ?? null,
      },
    ]),
  };
}

function earliest(steps: Array<{ targets: string[]; at: string | null }>): Notified['next'] {
  const due = steps.filter((step): step is NonNullable<Notified['next']> => step.at !== null);
  return due.sort((a, b) => (a.at < b.at ? -1 : 1))[0] ?? null;
}

export const isWebhookInTrouble = ({ health, disabledReason }: WebhookView): boolean =>
  health.state === 'failing' || health.state === 'recovering' || Boolean(disabledReason);

export const isChannelInTrouble = ({ status, lastError }: ChannelView): boolean =>
  status === 'unconfirmed' || (status === 'active' && lastError !== null);
