/**
 * Activities of `workflows/escalate-alert.ts`. Both can be repeated without harm.
 */
import type { AlertRef } from '../src/alerts/alert.ts';
import type { EscalationView } from '../src/escalations/alert-escalation.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface EscalateAlertActivities {
  /** Makes the step that is due, if any, and returns the next one. Null when the alert is gone. */
  makeDueStep(alert: AlertRef): Promise<EscalationView | null>;
  /** The operation of the API, for an operator who cancels the run. */
  acknowledgeAlert(alert: AlertRef): Promise<void>;
}

export type EscalationSteps = Pick<EscalateAlertActivities, 'makeDueStep'>;
export type AlertUpdates = Pick<EscalateAlertActivities, 'acknowledgeAlert'>;

export const createEscalateAlertActivities = (
  { makeDueStep }: EscalationSteps,
  { acknowledgeAlert }: AlertUpdates,
): EscalateAlertActivities => ({
  makeDueStep: withHeartbeat(makeDueStep),
  acknowledgeAlert: withHeartbeat(acknowledgeAlert),
});
