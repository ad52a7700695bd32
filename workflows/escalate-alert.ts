/**
 * One alert that escalates: makes each step when it is due, until the alert is acknowledged or over.
 * PostgreSQL holds the steps that were made; this run holds the waiting and describes it for readers of the
 * Temporal UI. It may be terminated and started again at any time, because every pass begins with the current
 * rows.
 */
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { EscalateAlertActivities } from '../activities/escalate-alert.ts';
import type { AlertRef } from '../src/alerts/alert.ts';
import { describeEscalation, summarizeEscalation } from '../src/escalations/escalation-description.ts';
import { ALERT_CHANGED_SIGNAL } from '../src/temporal/workflow-ids.ts';

const { makeDueStep } = proxyActivities<EscalateAlertActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '8 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** The alert was acknowledged or is over, or its policy changed: the rows show which. */
export const alertChanged = defineSignal(ALERT_CHANGED_SIGNAL);

/** Bounds the effect of a signal that was lost because its sender died. */
const WAIT_MAX_MS = 24 * 3_600_000;

export async function escalateAlert(alert: AlertRef): Promise<string> {
  let hasPendingSignal = false;
  setHandler(alertChanged, () => {
    hasPendingSignal = true;
  });

  for (;;) {
    hasPendingSignal = false;
    const escalation = await makeDueStep(alert);
    if (!escalation) return 'the alert no longer exists';
    setCurrentDetails(describeEscalation(escalation));
    // A signal during the last pass may mean that the escalation is open again.
    if (escalation.state !== 'open' && !hasPendingSignal) return summarizeEscalation(escalation);

    const waitMs = escalation.next?.waitMs ?? WAIT_MAX_MS;
    await condition(() => hasPendingSignal, Math.min(waitMs, WAIT_MAX_MS));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof escalateAlert>(alert);
  }
}
