/**
 * The verbs of `workflows/deliver-webhooks.ts`; each begins from what the rows say, so it can be repeated. All of them
 * give signs of life, so that a worker that died is noticed by its silence within seconds, whatever it was doing.
 */
import { heartbeat } from '@temporalio/activity';
import type { EndpointLook } from '../src/deliveries/endpoint-recovery.ts';

export interface EndpointTrouble {
  look(webhookId: string): Promise<EndpointLook | null>;
  sendUrgent(webhookId: string): Promise<void>;
  sendDue(webhookId: string): Promise<void>;
  probe(webhookId: string): Promise<void>;
  drain(webhookId: string, pace: number, heartbeat: () => void): Promise<{ pace: number; sent: number }>;
  close(webhookId: string): Promise<void>;
}

export type DeliverWebhooksActivities = ReturnType<typeof createDeliverWebhooksActivities>;

const HEARTBEAT_EVERY_MS = 2_000;

async function alive<T>(work: Promise<T>): Promise<T> {
  heartbeat();
  const timer = setInterval(() => heartbeat(), HEARTBEAT_EVERY_MS);
  return work.finally(() => clearInterval(timer));
}

export function createDeliverWebhooksActivities(trouble: EndpointTrouble) {
  return {
    lookAtEndpoint: (webhookId: string) => alive(trouble.look(webhookId)),
    sendUrgent: (webhookId: string) => alive(trouble.sendUrgent(webhookId)),
    sendRetries: (webhookId: string) => alive(trouble.sendDue(webhookId)),
    probeEndpoint: (webhookId: string) => alive(trouble.probe(webhookId)),
    drainBacklog: (webhookId: string, pace: number) => alive(trouble.drain(webhookId, pace, heartbeat)),
    closeBreaker: (webhookId: string) => alive(trouble.close(webhookId)),
  };
}
