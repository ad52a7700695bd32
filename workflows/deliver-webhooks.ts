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
import { describeTrouble } from '../src/deliveries/endpoint-recovery.ts';
import { TROUBLED_SIGNAL } from '../src/temporal/workflow-ids.ts';

const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' };
const { lookAtEndpoint, sendUrgent, sendRetries, probeEndpoint, drainBacklog, closeBreaker } =
  proxyActivities<DeliverWebhooksActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    retry,
  });

/** Something changed: another failure, a resend, an edit by its owner. */
export const troubled = defineSignal(TROUBLED_SIGNAL);

export interface DeliverWebhooksInput {
  webhookId: string;
  /** How long to go without a look when no signal comes. */
  lookAgainMs: number;
  /** Requests per second that a drain goes on with, over continue-as-new. */
  pace?: number;
}

export async function deliverWebhooks({
  webhookId,
  lookAgainMs,
  pace: firstPace = 1,
}: DeliverWebhooksInput): Promise<string> {
  let hasNews = false;
  let pace = firstPace;
  setHandler(troubled, () => {
    hasNews = true;
  });

  for (;;) {
    hasNews = false;
    const look = await lookAtEndpoint(webhookId);
    if (!look) return 'the endpoint was deleted';
    setCurrentDetails(describeTrouble(look));
    const { next } = look;
    if (next.kind !== 'drain') pace = 1;

    if (next.kind === 'urgent') await sendUrgent(webhookId);
    else if (next.kind === 'retry') await sendRetries(webhookId);
    else if (next.kind === 'probe') await probeEndpoint(webhookId);
    else if (next.kind === 'drain') pace = (await drainBacklog(webhookId, pace)).pace;
    else if (next.kind === 'close') await closeBreaker(webhookId);
    else if (next.kind === 'wait') {
      await condition(() => hasNews, Math.min(next.waitMs, lookAgainMs));
    } else if (!hasNews) {
      return look.status === 'active'
        ? 'the endpoint is well'
        : `the endpoint is disabled (${look.disabledReason})`;
    }

    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof deliverWebhooks>({ webhookId, lookAgainMs, pace });
    }
  }
}
