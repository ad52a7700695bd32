/**
 * The verbs of `workflows/deliver-webhooks.ts`; each begins from what the rows say, so it can be repeated. All of them
 * give signs of life, so that a worker that died is noticed by its silence within seconds, whatever it was doing.
 */
import { heartbeat } from '@temporalio/activity';
import type { RecoveryView } from '../src/deliveries/endpoint-recovery.ts';

export interface EndpointRecoverySteps {
  look(endpointId: string): Promise<RecoveryView | null>;
  sendUrgent(endpointId: string): Promise<void>;
  sendDue(endpointId: string): Promise<void>;
  probe(endpointId: string): Promise<void>;
  drain(endpointId: string, pace: number, heartbeat: () => void): Promise<{ pace: number; sent: number }>;
  close(endpointId: string): Promise<void>;
}

export type DeliverWebhooksActivities = ReturnType<typeof createDeliverWebhooksActivities>;

const HEARTBEAT_EVERY_MS = 2_000;

async function withHeartbeat<T>(work: Promise<T>): Promise<T> {
  heartbeat();
  const timer = setInterval(() => heartbeat(), HEARTBEAT_EVERY_MS);
  return work.finally(() => clearInterval(timer));
}

export function createDeliverWebhooksActivities(recoverySteps: EndpointRecoverySteps) {
  return {
    getEndpointState: (endpointId: string) => withHeartbeat(recoverySteps.look(endpointId)),
    sendUrgent: (endpointId: string) => withHeartbeat(recoverySteps.sendUrgent(endpointId)),
    sendRetries: (endpointId: string) => withHeartbeat(recoverySteps.sendDue(endpointId)),
    probeEndpoint: (endpointId: string) => withHeartbeat(recoverySteps.probe(endpointId)),
    drainBacklog: (endpointId: string, pace: number) =>
      withHeartbeat(recoverySteps.drain(endpointId, pace, heartbeat)),
    closeBreaker: (endpointId: string) => withHeartbeat(recoverySteps.close(endpointId)),
  };
}
