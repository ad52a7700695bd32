/**
 * One alert that escalates: makes each step when it is due, until somebody acknowledges the alert or it is over.
 * PostgreSQL holds which steps were made; this run holds the waiting and describes it for readers of the Temporal UI. It may be
 * terminated and started again at any time, because every pass begins with what the rows say.
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

/** It was acknowledged or is over, or its policy changed: the rows say which. */
export const alertChanged = defineSignal(ALERT_CHANGED_SIGNAL);

/** A signal that was lost with the process that was to send it is made up for by then. */
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
    // Whoever has signalled meanwhile may have opened it again.
    if (escalation.state !== 'open' && !hasPendingSignal) return summarizeEscalation(escalation);

    const waitMs = escalation.next?.waitMs ?? WAIT_MAX_MS;
    await condition(() => hasPendingSignal, Math.min(waitMs, WAIT_MAX_MS));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof escalateAlert>(alert);
  }
}
