/** Describes the run of an escalation for readers of the Temporal UI. */
import { ALERT_NAMES, type AlertType } from '../alerts/alert.ts';
import { cutText } from '../process/cut-text.ts';
import { toMinute } from '../process/iso-time.ts';
import type { EscalationState, EscalationView, NextStepView } from './alert-escalation.ts';

export interface EscalationTitle {
  serialNumber: string;
  alertType: AlertType;
}

/** Temporal accepts 400 bytes for the summary. */
const NAME_LENGTH_MAX = 80;

/** Summary in the list of runs: `Escalates too warm of 282C02424EED`. */
export function summarizeEscalationStart(title: EscalationTitle | null): string {
  if (!title) return 'Escalates an alert until somebody acknowledges it';
  return `Escalates ${ALERT_NAMES[title.alertType]} of ${cutText(title.serialNumber, NAME_LENGTH_MAX)}`;
}

export function describeEscalation(view: EscalationView): string {
  const { organizationName, serialNumber, alertType, policyName, stepsMade, stepCount } = view;
  return [
    `**${ALERT_NAMES[alertType]}** of ${serialNumber}, ${organizationName}`,
    '',
    `${policyName === null ? 'Policy' : `Policy ${policyName}`}: step ${stepsMade} of ${stepCount}.`,
    '',
    view.state === 'open' ? describeNext(view.next) : `It has ended: ${ENDINGS[view.state]}.`,
  ].join('\n');
}

/** Summary of the timer: `step 2 at 2026-03-02 08:15 UTC`. */
export const summarizeWait = ({ next }: EscalationView): string =>
  next ? `step ${next.position} at ${toMinute(next.at)}` : 'waits for somebody to acknowledge the alert';

/** Search attributes that the run keeps up to date. */
export const escalationAttributes = (view: EscalationView) => ({
  Organization: view.organizationName,
  Phase: toPhase(view),
});

function toPhase({ state, next }: EscalationView): string {
  if (state !== 'open') return 'ended';
  if (!next) return 'all steps made';
  return next.heldBy === null ? 'stepping' : 'held';
}

/** Result of the run: `acknowledged by Night shift after 12 min, step 2 of 3`. */
export function summarizeEscalation(view: EscalationView): string {
  const { state, stepsMade, stepCount, acknowledged } = view;
  const steps = `step ${stepsMade} of ${stepCount}`;
  if (state !== 'acknowledged' || !acknowledged) return `${ENDINGS[state]}, ${steps}`;
  const by = acknowledged.by === null ? '' : ` by ${acknowledged.by}`;
  return `acknowledged${by} after ${toDuration(acknowledged.afterSeconds)}, ${steps}`;
}

const ENDINGS: Record<EscalationState, string> = {
  open: 'nobody has acknowledged it',
  acknowledged: 'acknowledged',
  resolved: 'resolved before anybody acknowledged it',
  policy_disabled: 'the policy was disabled',
  policy_deleted: 'the policy was deleted',
};

function describeNext(next: NextStepView | null): string {
  if (!next) return 'All steps were made: waiting for somebody to acknowledge it.';
  const step = next.isRepeat ? `Step ${next.position} is repeated` : `Step ${next.position} follows`;
  const reason = { snooze: ', when its snooze ends', mute: ', when its mute ends' };
  return `${step} at ${next.at}${next.heldBy === null ? '' : reason[next.heldBy]}, unless somebody acknowledges it.`;
}

const toDuration = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
