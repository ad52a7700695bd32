/** How far the escalation of an alert is, and whether it goes on. */
import type { Alert } from '../alerts/alert.ts';
import type { EscalationProgress } from './escalation-plan.ts';
import type { EscalationPolicy } from './escalation-policy.ts';

/** Why no further step follows; open: one may. */
export type EscalationState = 'open' | 'acknowledged' | 'resolved' | 'policy_disabled' | 'policy_deleted';

/** An alert stands for a fleet that is overdue: so many of its devices have missed their contact. */
export interface EscalatedFleet {
  overdue: number;
  total: number;
}

export interface AlertEscalation extends EscalationProgress {
  policyId: string;
  state: EscalationState;
  /** By the policy; null: none follows. */
  nextStepAt: Date | null;
  /** The device was muted until then when the run looked; null: it was not. */
  mutedUntil: Date | null;
  fleet: EscalatedFleet | null;
}

/** What the run of an escalation knows of it. */
export interface EscalationView {
  serialNumber: string;
  alertType: Alert['type'];
  state: EscalationState;
  policyName: string | null;
  stepsMade: number;
  stepCount: number;
  /** Null: no step follows. */
  next: NextStepView | null;
  acknowledged: { by: string | null; afterSeconds: number } | null;
}

export interface NextStepView {
  position: number;
  isRepeat: boolean;
  /** ISO 8601. */
  at: string;
  waitMs: number;
  heldBy: 'snooze' | 'mute' | null;
}

/** By the alert and the policy as they are at that moment. */
export function stateOf(
  { status, snoozeUntil }: Pick<Alert, 'status' | 'snoozeUntil'>,
  policy: Pick<EscalationPolicy, 'status'> | null,
): EscalationState {
  if (status === 'resolved') return 'resolved';
  if (policy === null) return 'policy_deleted';
  if (policy.status === 'disabled') return 'policy_disabled';
  return status === 'acknowledged' && snoozeUntil === null ? 'acknowledged' : 'open';
}

/** No step is made before; null: nothing holds it. */
export function heldBy(
  snoozeUntil: Date | null,
  mutedUntil: Date | null,
): { until: Date; by: 'snooze' | 'mute' } | null {
  if (snoozeUntil === null && mutedUntil === null) return null;
  const isMuteLonger = mutedUntil !== null && (snoozeUntil === null || mutedUntil > snoozeUntil);
  return isMuteLonger ? { until: mutedUntil, by: 'mute' } : { until: snoozeUntil as Date, by: 'snooze' };
}
