/**
 * One endpoint whose deliveries fail: retries them, probes until its receiver is back, and drains the backlog. The run
 * ends when the endpoint has recovered, so an endpoint without a run is healthy. PostgreSQL holds the deliveries; this
 * run holds the waiting.
 */
import { continueAsNew, defineSignal, defineUpdate, proxyActivities } from '@temporalio/workflow';
import type { DeliverWebhooksActivities } from '../activities/deliver-webhooks.ts';
import {
  describeRecovery,
  GIVE_UP,
  RETRY_NOW,
  type RecoveryView,
  recoveryAttributes,
  summarizeRecovery,
  summarizeWait,
  whyNotRetried,
} from '../src/deliveries/endpoint-recovery.ts';
import type { EndpointRef } from '../src/endpoints/endpoint.ts';
import { WAKE_SIGNAL } from '../src/temporal/workflow-ids.ts';
import { BRIEF, openRun, type RunInput, SENDING, titled } from './run.ts';

const { getEndpointState, closeBreaker, retryEndpoint, giveUpEndpoint } =
  proxyActivities<DeliverWebhooksActivities>(BRIEF);
const { sendImmediate, sendRetries, probeEndpoint, drainBacklog } =
  proxyActivities<DeliverWebhooksActivities>(SENDING);

/** Another delivery failed, a customer asked for a resend, or the endpoint was edited. */
export const wake = defineSignal(WAKE_SIGNAL);
export const retryNow = defineUpdate<string>(RETRY_NOW.name);
export const giveUp = defineUpdate<string>(GIVE_UP.name);

export interface DeliverWebhooksInput extends EndpointRef, RunInput {
  /** The longest wait between two reads of the state when no signal arrives. */
  pollIntervalMs: number;
  /** Requests per second at which a drain continues after continue-as-new. */
  pace?: number;
}

const FIRST_PACE = 1;

export async function deliverWebhooks(input: DeliverWebhooksInput): Promise<string> {
  const run = openRun(input, { organizationId: 'id', endpointId: 'id', pollIntervalMs: 'milliseconds' });
  const { organizationId, endpointId, pollIntervalMs } = input;
  const endpoint: EndpointRef = { organizationId, endpointId };
  let state: RecoveryView | null = null;
  let pace = input.pace ?? FIRST_PACE;

  run.onSignal(wake);
  run.onUpdate(retryNow, { ...RETRY_NOW, whyRefused: () => whyNotRetried(state) }, () =>
    retryEndpoint(endpoint),
  );
  run.onUpdate(giveUp, GIVE_UP, () => giveUpEndpoint(endpoint));

  async function pass(): Promise<string | null> {
    state = await getEndpointState(endpoint);
    if (!state) return 'the endpoint was deleted';
    run.show(describeRecovery(state), recoveryAttributes(state, Date.now()));
    const { next, pending, retrying } = state;
    if (next.kind !== 'drain') pace = FIRST_PACE;

    if (next.kind === 'immediate') await sendImmediate(endpoint);
    else if (next.kind === 'retry') await titled(`${retrying} wait for a retry`, sendRetries)(endpoint);
    else if (next.kind === 'probe') await titled(`${pending + retrying} wait`, probeEndpoint)(endpoint);
    else if (next.kind === 'drain')
      ({ pace } = await titled(`${pending + retrying} wait`, drainBacklog)(endpoint, pace));
    else if (next.kind === 'close') await closeBreaker(endpoint);
    else if (next.kind === 'wait') await run.wait(Math.min(next.waitMs, pollIntervalMs), summarizeWait(next));
    else return summarizeRecovery(state);
    return null;
  }

  return run.repeat({
    pass,
    onCancel: () => giveUpEndpoint(endpoint),
    continueAsNew: () => continueAsNew<typeof deliverWebhooks>({ ...input, pace }),
  });
}
