/**
 * One alert that escalates: makes each step when it is due, until the alert is acknowledged or over.
 * PostgreSQL holds the steps that were made; this run holds the waiting and describes it for readers of the
 * Temporal UI. It may be terminated and started again at any time, because every pass begins with the current
 * rows.
 */
import { continueAsNew, defineSignal, proxyActivities } from '@temporalio/workflow';
import type { EscalateAlertActivities } from '../activities/escalate-alert.ts';
import type { AlertRef } from '../src/alerts/alert.ts';
import { untilLookMs } from '../src/escalations/alert-escalation.ts';
import {
  describeEscalation,
  escalationAttributes,
  summarizeEscalation,
  summarizeWait,
} from '../src/escalations/escalation-description.ts';
import { ALERT_CHANGED_SIGNAL } from '../src/temporal/workflow-ids.ts';
import { BRIEF, openRun, type RunInput } from './run.ts';

const { makeDueStep, acknowledgeAlert } = proxyActivities<EscalateAlertActivities>(BRIEF);

/** The alert was acknowledged or is over, or its policy changed: the rows show which. */
export const alertChanged = defineSignal(ALERT_CHANGED_SIGNAL);

export async function escalateAlert(input: AlertRef & RunInput): Promise<string> {
  const run = openRun(input, { organizationId: 'id', alertId: 'id' });
  const { organizationId, alertId } = input;
  const alert: AlertRef = { organizationId, alertId };
  run.onSignal(alertChanged);

  async function pass(): Promise<string | null> {
    const escalation = await makeDueStep(alert);
    if (!escalation) return 'the alert no longer exists';
    run.show(describeEscalation(escalation), escalationAttributes(escalation));
    if (escalation.state !== 'open') return summarizeEscalation(escalation);
    const waitMs = escalation.next?.waitMs ?? Number.POSITIVE_INFINITY;
    await run.wait(Math.min(waitMs, untilLookMs(escalation)), summarizeWait(escalation));
    return null;
  }

  return run.repeat({
    pass,
    onCancel: () => acknowledgeAlert(alert),
    continueAsNew: () => continueAsNew<typeof escalateAlert>(input),
  });
}
