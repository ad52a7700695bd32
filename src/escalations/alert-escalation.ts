/** The progress of an alert's escalation, and whether it continues. */
import type { Alert } from '../alerts/alert.ts';
import { DAY_MS, MINUTE_MS } from '../process/durations.ts';
import type { EscalationProgress } from './escalation-plan.ts';
import type { EscalationPolicy } from './escalation-policy.ts';

/** The reason why no further step follows; open: one may follow. */
export type EscalationState = 'open' | 'acknowledged' | 'resolved' | 'policy_disabled' | 'policy_deleted';

/** The overdue fleet that an alert represents, with the number of its devices that missed their contact. */
export interface EscalatedFleet {
  overdue: number;
  total: number;
}

/** Bounds the search for an alert of an overdue fleet that matches a policy. */
export const CANDIDATES_MAX = 20_000;

export interface AlertEscalation extends EscalationProgress {
  policyId: string;
  state: EscalationState;
  /** By the policy; null: no step follows. */
  nextStepAt: Date | null;
  /** End of the device's mute as the run last read it; null: it was not muted. */
  mutedUntil: Date | null;
  hasBeenSnoozed: boolean;
  fleet: EscalatedFleet | null;
}

/** An escalation as its run knows it. */
export interface EscalationView {
  organizationName: string;
  serialNumber: string;
  alertType: Alert['type'];
  state: EscalationState;
  policyName: string | null;
  stepsMade: number;
  stepCount: number;
  /** Null: no step follows. */
  next: NextStepView | null;
  acknowledged: { by: string | null; afterSeconds: number } | null;
  /** Absent when a worker of the release before has read the alert. */
  details?: EscalationDetails;
}

export interface EscalationDetails {
  /** ISO 8601. */
  beganAt: string;
  /** Since then, by the clock of the database. Absent when a worker of the release before has read the alert. */
  ageMs?: number;
  /** The channels of the latest step; empty before the first one. */
  notified: ShownChannel[];
  nextChannels: ShownChannel[];
  /** Also while no step follows; `until` is ISO 8601. */
  held: { by: 'snooze' | 'mute'; until: string } | null;
  /** The channels of the step have not answered yet. */
  isStepNew: boolean;
}

export interface ShownChannel {
  /** Without an address of a person: `email at example.com`. */
  place: string;
  /** Error of the latest attempt; null when it succeeded. */
  lastError: string | null;
}

export interface NextStepView {
  position: number;
  isRepeat: boolean;
  /** ISO 8601. */
  at: string;
  waitMs: number;
  heldBy: 'snooze' | 'mute' | null;
}

/** After this time, most messages of a step have arrived, or were refused. */
const OUTCOME_MS = MINUTE_MS;
const LOOK_MS = { min: 5 * MINUTE_MS, max: DAY_MS };

/**
 * How long the run waits until it reads the rows again although nothing is due. When all steps were made, it waits for as
 * long as the alert has escalated, because no sweep sends the signal of its end again when that was lost.
 */
export function untilLookMs({ next, details }: EscalationView): number {
  if (details?.isStepNew) return OUTCOME_MS;
  if (next || details?.ageMs === undefined) return LOOK_MS.max;
  return Math.min(Math.max(details.ageMs, LOOK_MS.min), LOOK_MS.max);
}

/** The state by the current alert and policy, of an escalation that began then. */
export function stateOf(
  { status, snoozeUntil }: Pick<Alert, 'status' | 'snoozeUntil'>,
  policy: Pick<EscalationPolicy, 'status' | 'disabledAt'> | null,
  beganAt: Date,
): EscalationState {
  if (status === 'resolved') return 'resolved';
  if (policy === null) return 'policy_deleted';
  const { disabledAt } = policy;
  if (policy.status === 'disabled' || (disabledAt !== null && beganAt <= disabledAt))
    return 'policy_disabled';
  return status === 'acknowledged' && snoozeUntil === null ? 'acknowledged' : 'open';
}

/** The time until which steps are held, and the cause; null: none are held. */
export function heldBy(
  snoozeUntil: Date | null,
  mutedUntil: Date | null,
): { until: Date; by: 'snooze' | 'mute' } | null {
  if (snoozeUntil === null && mutedUntil === null) return null;
  const isMuteLonger = mutedUntil !== null && (snoozeUntil === null || mutedUntil > snoozeUntil);
  return isMuteLonger ? { until: mutedUntil, by: 'mute' } : { until: snoozeUntil as Date, by: 'snooze' };
}
