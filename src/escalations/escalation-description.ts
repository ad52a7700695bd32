/** Describes the run of an escalation for readers of the Temporal UI. */
import { ALERT_NAMES } from '../alerts/alert.ts';
import { cutText } from '../process/cut-text.ts';
import { toSecond } from '../process/iso-time.ts';
import { toMarkdownText } from '../process/markdown-text.ts';
import type { EscalationState, EscalationView, ShownChannel } from './alert-escalation.ts';

export type EscalationTitle = Pick<EscalationView, 'serialNumber' | 'alertType'>;

/** Temporal accepts 400 bytes for the summary. */
const NAME_LENGTH_MAX = 80;
const ERROR_LENGTH_MAX = 200;

/** Summary in the list of runs: `Escalates too warm of 282C02424EED`. */
export function summarizeEscalationStart(title: EscalationTitle | null): string {
  if (!title) return 'Escalates an alert until somebody acknowledges it';
  return `Escalates ${ALERT_NAMES[title.alertType]} of ${toMarkdownText(cutText(title.serialNumber, NAME_LENGTH_MAX))}`;
}

export function describeEscalation(view: EscalationView): string {
  const { organizationName, serialNumber, alertType, details, state } = view;
  const device = `${toMarkdownText(serialNumber)}, ${toMarkdownText(organizationName)}`;
  return [
    `**${ALERT_NAMES[alertType]}** of ${device}`,
    '',
    ...(details ? [`Escalates since ${toSecond(details.beganAt)}.`, ''] : []),
    describePolicy(view),
    ...describeNotified(view),
    '',
    state === 'open' ? describeNext(view) : `It has ended: ${ENDINGS[state]}.`,
    ...(state === 'open' ? ['', HOW_TO_STOP] : []),
  ].join('\n');
}

/** Summary of the timer: `step 2 at 2026-03-02 08:15:00 UTC`. */
export function summarizeWait({ next, details }: EscalationView): string {
  if (next) return `step ${next.position} at ${toSecond(next.at)}`;
  if (details?.held) return `${HOLDS[details.held.by]} until ${toSecond(details.held.until)}`;
  return 'waits for somebody to acknowledge the alert';
}

/** Search attributes that the run keeps up to date. */
export const escalationAttributes = (view: EscalationView) => ({
  Organization: view.organizationName,
  Phase: toPhase(view),
});

function toPhase({ state, next, details }: EscalationView): string {
  if (state !== 'open') return 'ended';
  if (next) return next.heldBy === null ? 'stepping' : 'held';
  return details?.held ? 'held' : 'all steps made';
}

/** Result of the run: `acknowledged by Night shift after 12 min, step 2 of 3`. */
export function summarizeEscalation(view: EscalationView): string {
  const { state, stepsMade, stepCount, acknowledged } = view;
  const steps = `step ${stepsMade} of ${stepCount}`;
  if (state !== 'acknowledged' || !acknowledged) return `${ENDINGS[state]}, ${steps}`;
  const by = acknowledged.by === null ? '' : ` by ${toMarkdownText(acknowledged.by)}`;
  return `acknowledged${by} after ${toDuration(acknowledged.afterSeconds)}, ${steps}`;
}

const ENDINGS: Record<EscalationState, string> = {
  open: 'nobody has acknowledged it',
  acknowledged: 'acknowledged',
  resolved: 'resolved before anybody acknowledged it',
  policy_disabled: 'the policy was disabled',
  policy_deleted: 'the policy was deleted',
};

const HOW_TO_STOP =
  'Cancel of this run acknowledges the alert, and so ends the escalation. Nothing makes a step earlier.';

const HOLDS = { snooze: 'snoozed', mute: 'muted' } as const;

function describePolicy({ policyName, stepsMade, stepCount }: EscalationView): string {
  if (policyName === null) return `${stepsMade} ${stepsMade === 1 ? 'step was' : 'steps were'} made.`;
  return `Policy ${toMarkdownText(policyName)}: step ${stepsMade} of ${stepCount}.`;
}

/** Nothing before the first step. */
function describeNotified({ details }: EscalationView): string[] {
  if (!details || details.notified.length === 0) return [];
  const lines = details.notified.map((channel) => `- ${describeChannel(channel, details.isStepNew)}`);
  return ['', 'Notified by the latest step:', '', ...lines];
}

/** Whether a message arrived is known some time after its step. */
function describeChannel({ place, lastError }: ShownChannel, isStepNew: boolean): string {
  if (isStepNew) return `${toMarkdownText(place)}: the message is being sent`;
  if (lastError === null) return toMarkdownText(place);
  const error = toMarkdownText(cutText(lastError, ERROR_LENGTH_MAX));
  return `${toMarkdownText(place)}: its latest attempt failed: ${error}`;
}

function describeNext({ next, details }: EscalationView): string {
  if (!next) {
    const hold = details?.held;
    const wait = hold
      ? `${HOLDS[hold.by]} until ${toSecond(hold.until)}`
      : 'waiting for somebody to acknowledge it';
    return `All steps were made: ${wait}.`;
  }
  const step = next.isRepeat ? `Step ${next.position} is repeated` : `Step ${next.position} follows`;
  const reason = { snooze: ', when its snooze ends', mute: ', when its mute ends' };
  const places = (details?.nextChannels ?? []).map(({ place }) => toMarkdownText(place)).join(', ');
  const by = places === '' ? '' : `, by ${places}`;
  const when = `${toSecond(next.at)}${next.heldBy === null ? '' : reason[next.heldBy]}`;
  return `${step} at ${when}${by}, unless somebody acknowledges it.`;
}

const toDuration = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
