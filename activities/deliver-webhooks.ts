/**
 * Activities of `workflows/deliver-webhooks.ts`, implemented by the endpoint-recovery service. Every call
 * starts from the current rows, so it can be repeated. All send heartbeats, so Temporal notices within
 * seconds that a worker has died.
 */
import type { DrainProgress, RecoveryView } from '../src/deliveries/endpoint-recovery.ts';
import type { EndpointRef } from '../src/endpoints/endpoint.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { createTurns } from './turns.ts';

export interface DeliverWebhooksActivities extends EndpointUpdates {
  /** Null when the endpoint was deleted. */
  getEndpointState(endpoint: EndpointRef): Promise<RecoveryView | null>;
  /** Sends deliveries that a customer asked to resend, regardless of the endpoint's health. */
  sendImmediate(endpoint: EndpointRef): Promise<void>;
  /** Sends due retries. */
  sendRetries(endpoint: EndpointRef): Promise<void>;
  /** Sends one delivery to an endpoint whose breaker is open; its success starts the drain. */
  probeEndpoint(endpoint: EndpointRef): Promise<void>;
  /** Sends part of the backlog, starting at `pace` requests per second; closes the breaker when nothing is left. */
  drainBacklog(endpoint: EndpointRef, pace: number): Promise<DrainProgress>;
  /** Closes an open breaker when there is nothing left to send. */
  closeBreaker(endpoint: EndpointRef): Promise<void>;
}

/** Updates of operators: the operations of the API, which write a row of the audit trail. Each returns a sentence. */
export interface EndpointUpdates {
  /** Probes at once; when the breaker is closed, sends all that waits for a retry. */
  retryEndpoint(endpoint: EndpointRef): Promise<string>;
  /** Disables the endpoint. */
  giveUpEndpoint(endpoint: EndpointRef): Promise<string>;
}

export type RecoverySteps = Omit<DeliverWebhooksActivities, keyof EndpointUpdates>;

export function createDeliverWebhooksActivities(
  recovery: RecoverySteps,
  { retryEndpoint, giveUpEndpoint }: EndpointUpdates,
  inTurn: ReturnType<typeof createTurns>,
): DeliverWebhooksActivities {
  return {
    getEndpointState: withHeartbeat(recovery.getEndpointState),
    sendImmediate: withHeartbeat(inTurn(recovery.sendImmediate)),
    sendRetries: withHeartbeat(inTurn(recovery.sendRetries)),
    probeEndpoint: withHeartbeat(inTurn(recovery.probeEndpoint)),
    drainBacklog: withHeartbeat(inTurn(recovery.drainBacklog)),
    closeBreaker: withHeartbeat(recovery.closeBreaker),
    retryEndpoint: withHeartbeat(retryEndpoint),
    giveUpEndpoint: withHeartbeat(giveUpEndpoint),
  };
}
