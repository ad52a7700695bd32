/** The view of an escalation for its run, and its entries in the history of the alert. */
import type { AlertRef } from '../alerts/alert.ts';
import type { RecordedAlert } from '../alerts/alerts.repository.ts';
import { type NamedChannel, nameOfChannel } from '../notifications/notification-channel.ts';
import type { AlertEscalation, EscalationDetails, EscalationView } from './alert-escalation.ts';
import type { PlannedStep } from './escalation-plan.ts';
import type { EscalationPolicy } from './escalation-policy.ts';

/** A step with the cause that holds it. */
export interface HeldStep extends PlannedStep {
  dueAt: Date;
  mutedUntil: Date | null;
  heldBy: 'snooze' | 'mute' | null;
}

export interface Escalating {
  ref: AlertRef;
  organizationName: string;
  alert: RecordedAlert;
  escalation: AlertEscalation;
}

export function escalationView(
  { alert, escalation, organizationName }: Omit<Escalating, 'ref'>,
  policy: EscalationPolicy | null,
  next: HeldStep | null,
  { now, details }: { now: Date; details: Omit<EscalationDetails, 'beganAt' | 'ageMs'> },
): EscalationView {
  const { acknowledgedAt, acknowledgedBy } = alert;
  const { beganAt } = escalation;
  // The policy may have lost steps, so more steps than it has may have been made.
  const stepCount = policy?.steps.length ?? escalation.stepsMade;
  return {
    organizationName,
    serialNumber: alert.serialNumber,
    alertType: alert.type,
    state: escalation.state,
    policyName: policy?.name ?? null,
    stepsMade: Math.min(escalation.stepsMade, stepCount),
    stepCount,
    next: next && {
      position: next.position,
      isRepeat: next.isRepeat,
      at: next.dueAt.toISOString(),
      waitMs: Math.max(0, next.dueAt.getTime() - now.getTime()),
      heldBy: next.heldBy,
    },
    acknowledged: acknowledgedAt && {
      by: acknowledgedBy?.name ?? null,
      afterSeconds: Math.round((acknowledgedAt.getTime() - beganAt.getTime()) / 1000),
    },
    details: { beganAt: beganAt.toISOString(), ageMs: now.getTime() - beganAt.getTime(), ...details },
  };
}

/** The channels of the latest step, which repeats have in common with it. */
export function notifiedChannelIds(
  { steps }: Pick<EscalationPolicy, 'steps'>,
  { stepsMade }: Pick<AlertEscalation, 'stepsMade'>,
): string[] {
  return steps[Math.min(stepsMade, steps.length) - 1]?.channelIds ?? [];
}

export const NO_CHANNEL = 'no channel that messages may be sent to';

/** `step 2 of 3: email night@example.com`. */
export function describeStep(
  { position, isRepeat }: PlannedStep,
  { steps }: Pick<EscalationPolicy, 'steps'>,
  channels: readonly NamedChannel[],
): string {
  const step = `step ${position} of ${steps.length}${isRepeat ? ' again' : ''}`;
  const names = channels.map(nameOfChannel).join(', ');
  return `${step}: ${names === '' ? NO_CHANNEL : names}`;
}
