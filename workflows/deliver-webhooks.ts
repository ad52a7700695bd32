/**
 * One endpoint in trouble: retries what failed, finds out when the receiver is back, and drains what waited. It ends
 * when the endpoint is well; while there is no such run, the endpoint has no problem. Postgres holds the deliveries,
 * this run holds the waiting.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeliverWebhooksActivities } from '../activities/deliver-webhooks.ts';
import { describeRecovery } from '../src/deliveries/endpoint-recovery.ts';
import { WAKE_SIGNAL } from '../src/temporal/workflow-ids.ts';

const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' };
const { getEndpointState, sendUrgent, sendRetries, probeEndpoint, drainBacklog, closeBreaker } =
  proxyActivities<DeliverWebhooksActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    retry,
  });

/** Something changed: another failure, a resend, an edit by its owner. */
export const wake = defineSignal(WAKE_SIGNAL);

export interface DeliverWebhooksInput {
  endpointId: string;
  /** How long to go without a look when no signal comes. */
  pollIntervalMs: number;
  /** Requests per second that a drain goes on with, over continue-as-new. */
  pace?: number;
}

export async function deliverWebhooks({
  endpointId,
  pollIntervalMs,
  pace: firstPace = 1,
}: DeliverWebhooksInput): Promise<string> {
  let hasPendingSignal = false;
  let pace = firstPace;
  setHandler(wake, () => {
    hasPendingSignal = true;
  });

  for (;;) {
    hasPendingSignal = false;
    const look = await getEndpointState(endpointId);
    if (!look) return 'the endpoint was deleted';
    setCurrentDetails(describeRecovery(look));
    const { next } = look;
    if (next.kind !== 'drain') pace = 1;

    if (next.kind === 'urgent') await sendUrgent(endpointId);
    else if (next.kind === 'retry') await sendRetries(endpointId);
    else if (next.kind === 'probe') await probeEndpoint(endpointId);
    else if (next.kind === 'drain') pace = (await drainBacklog(endpointId, pace)).pace;
    else if (next.kind === 'close') await closeBreaker(endpointId);
    else if (next.kind === 'wait') {
      await condition(() => hasPendingSignal, Math.min(next.waitMs, pollIntervalMs));
    } else if (!hasPendingSignal) {
      return look.status === 'active'
        ? 'the endpoint is well'
        : `the endpoint is disabled (${look.disabledReason})`;
    }

    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof deliverWebhooks>({ endpointId, pollIntervalMs, pace });
    }
  }
}
