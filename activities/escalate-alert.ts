/**
 * Activity of `workflows/escalate-alert.ts`, implemented by the escalation-run service. It can be repeated
 * without harm.
 */
import type { AlertRef } from '../src/alerts/alert.ts';
import type { EscalationView } from '../src/escalations/alert-escalation.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface EscalateAlertActivities {
  /** Makes the step that is due, if any, and returns the next one. Null when the alert is gone. */
  makeDueStep(alert: AlertRef): Promise<EscalationView | null>;
}

export const createEscalateAlertActivities = ({
  makeDueStep,
}: EscalateAlertActivities): EscalateAlertActivities => ({
  makeDueStep: withHeartbeat(makeDueStep),
});
