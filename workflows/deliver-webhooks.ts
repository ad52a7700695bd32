/**
 * One endpoint whose deliveries fail: retries them, probes until its receiver is back, and drains the backlog. The run
 * ends when the endpoint has recovered, so an endpoint without a run is healthy. PostgreSQL holds the deliveries; this
 * run holds the waiting.
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
import { describeRecovery, summarizeRecovery } from '../src/deliveries/endpoint-recovery.ts';
import type { EndpointRef } from '../src/endpoints/endpoint.ts';
import { WAKE_SIGNAL } from '../src/temporal/workflow-ids.ts';

const { getEndpointState, sendImmediate, sendRetries, probeEndpoint, drainBacklog, closeBreaker } =
  proxyActivities<DeliverWebhooksActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '8 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  });

/** Another delivery failed, a customer asked for a resend, or the endpoint was edited. */
export const wake = defineSignal(WAKE_SIGNAL);

export interface DeliverWebhooksInput extends EndpointRef {
  /** The longest wait between two reads of the state when no signal arrives. */
  pollIntervalMs: number;
  /** Requests per second at which a drain continues after continue-as-new. */
  pace?: number;
}

const FIRST_PACE = 1;

export async function deliverWebhooks(input: DeliverWebhooksInput): Promise<string> {
  const { organizationId, endpointId, pollIntervalMs } = input;
  const endpoint: EndpointRef = { organizationId, endpointId };
  let hasPendingSignal = false;
  let pace = input.pace ?? FIRST_PACE;
  setHandler(wake, () => {
    hasPendingSignal = true;
  });

  for (;;) {
    hasPendingSignal = false;
    const state = await getEndpointState(endpoint);
    if (!state) return 'the endpoint was deleted';
    setCurrentDetails(describeRecovery(state));
    const { next } = state;
    if (next.kind !== 'drain') pace = FIRST_PACE;

    if (next.kind === 'immediate') await sendImmediate(endpoint);
    else if (next.kind === 'retry') await sendRetries(endpoint);
    else if (next.kind === 'probe') await probeEndpoint(endpoint);
    else if (next.kind === 'drain') pace = (await drainBacklog(endpoint, pace)).pace;
    else if (next.kind === 'close') await closeBreaker(endpoint);
    else if (next.kind === 'wait') {
      await condition(() => hasPendingSignal, Math.min(next.waitMs, pollIntervalMs));
    } else if (!hasPendingSignal) return summarizeRecovery(state);

    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof deliverWebhooks>({ ...input, pace });
    }
  }
}
