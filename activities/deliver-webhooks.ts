/** The verbs of `workflows/deliver-webhooks.ts`; each begins from what the rows say, so it can be repeated. */
import { heartbeat } from '@temporalio/activity';
import type { EndpointLook } from '../src/deliveries/endpoint-trouble.ts';

export interface EndpointTrouble {
  look(webhookId: string): Promise<EndpointLook | null>;
  sendUrgent(webhookId: string): Promise<void>;
  sendDue(webhookId: string): Promise<void>;
  probe(webhookId: string): Promise<void>;
  drain(webhookId: string, pace: number, heartbeat: () => void): Promise<{ pace: number; sent: number }>;
  close(webhookId: string): Promise<void>;
}

export type DeliverWebhooksActivities = ReturnType<typeof createDeliverWebhooksActivities>;

export function createDeliverWebhooksActivities(trouble: EndpointTrouble) {
  return {
    lookAtEndpoint: (webhookId: string) => trouble.look(webhookId),
    sendUrgent: (webhookId: string) => trouble.sendUrgent(webhookId),
    sendRetries: (webhookId: string) => trouble.sendDue(webhookId),
    probeEndpoint: (webhookId: string) => trouble.probe(webhookId),
    drainBacklog: (webhookId: string, pace: number) => trouble.drain(webhookId, pace, heartbeat),
    closeBreaker: (webhookId: string) => trouble.close(webhookId),
  };
}
