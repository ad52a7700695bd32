/** Rules of the start page: the order of alerts, their notifications, and trouble of receivers. */
import type { AlertType, AlertView } from '../alerts/alert.ts';
import type { JobView } from '../config-jobs/config-job.ts';
import { DAY_MS } from '../process/durations.ts';
import type { ChannelView, EscalationView, WebhookView } from './answers.ts';
import { labelsOf } from './channel-labels.ts';
import type { AlertNotification } from './start.repository.ts';

const URGENCY: readonly AlertType[] = ['high_temp', 'low_temp', 'sensor_error', 'no_data', 'low_battery'];

/** Critical ones first, then by type, then the newest. */
export const byUrgency = (a: AlertView, b: AlertView): number =>
  Number(a.severity === 'warning') - Number(b.severity === 'warning') ||
  URGENCY.indexOf(a.type) - URGENCY.indexOf(b.type) ||
  (a.id < b.id ? 1 : -1);

export interface Notified {
  /** Names of channels, or their addresses. */
  notified: string[];
  /** Null: no further message follows. */
  next: { targets: string[]; at: string } | null;
}

interface Known {
  notifications: readonly AlertNotification[];
  channels: readonly ChannelView[];
  escalations: readonly EscalationView[];
}

/** Channels that know of the alert, and those that follow, by their own delay or by the escalation. */
export function toNotified(
  { id, escalation }: AlertView,
  { notifications, channels, escalations }: Known,
): Notified {
  const own = notifications.filter(({ alertId }) => alertId === id);
  const { steps = [] } = escalations.find((each) => each.id === escalation?.id) ?? {};
  const made = steps.slice(0, escalation?.step ?? 0).flatMap(({ channelIds }) => channelIds);
  const known = own.filter(({ notifiedAt }) => notifiedAt !== null).map(({ channelId }) => channelId);
  return {
    notified: [...new Set(labelsOf(channels, [...known, ...made]))],
    next: earliest([
      ...own.map(({ channelId, dueAt }) => ({
        targets: labelsOf(channels, [channelId]),
        at: dueAt?.toISOString() ?? null,
      })),
      {
        targets: labelsOf(channels, (steps[escalation?.step ?? 0] ?? steps.at(-1))?.channelIds ?? []),
        at: escalation?.nextStepAt ?? null,
      },
    ]),
  };
}

function earliest(steps: Array<{ targets: string[]; at: string | null }>): Notified['next'] {
  const due = steps.filter((step): step is NonNullable<Notified['next']> => step.at !== null);
  return due.sort((a, b) => (a.at < b.at ? -1 : 1))[0] ?? null;
}

/** A rollout that ended itself within the last day. */
export const isNewlyAborted = ({ finishedAt }: JobView, now: Date): boolean =>
  finishedAt !== null && now.getTime() - new Date(finishedAt).getTime() < DAY_MS;

export const isWebhookInTrouble = ({ health, disabledReason }: WebhookView): boolean =>
  health?.state === 'failing' || health?.state === 'recovering' || Boolean(disabledReason);

export const isChannelInTrouble = ({ status, lastError }: ChannelView): boolean =>
  status === 'unconfirmed' || (status === 'active' && lastError !== null);
