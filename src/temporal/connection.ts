/** The client's way to Temporal: it connects when first used and again after a fault, so nobody waits for it to be up. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { DependencyHealth } from '../http/health.ts';

export interface TemporalClient {
  client: Client;
  health(): Promise<DependencyHealth>;
  close(): Promise<void>;
}

/** No call takes longer: rows ask for the work, and the sweep asks again. */
const CALL_TIMEOUT_MS = 5_000;
const HEALTH_TIMEOUT_MS = 500;
/** gRPC's own limit is two minutes, for which nobody would notice that Temporal is back. */
const RECONNECT_MS_MAX = 2_000;

const UP: DependencyHealth = { state: 'ok', message: 'answers' };
const AWAY: DependencyHealth = {
  state: 'degraded',
  message: 'does not answer: jobs are taken on and start when it is back',
};

export function connectTemporal(address: string, namespace: string): TemporalClient {
  const connection = Connection.lazy({
    address,
    interceptors: [withDeadline],
    channelArgs: { 'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX },
  });
  return {
    client: new Client({ connection, namespace }),
    async health() {
      const answer = connection.workflowService.getSystemInfo({}).then(
        () => true,
        () => false,
      );
      // Whoever probes us waits for a second at most.
      const isUp = await Promise.race([answer, delay(HEALTH_TIMEOUT_MS, false, { ref: false })]);
      return isUp ? UP : AWAY;
    },
    close: () => connection.close(),
  };
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * The deadline of every call, and in place of the client's own retries: whoever calls makes up for a fault, and a retry
 * that still waits when the connection is closed would end the process. `Connection.withDeadline` goes through an
 * AsyncLocalStorage, which from its first use on makes every promise of the process dearer before Node 24.
 */
const withDeadline = ((options, nextCall) =>
  nextCall({ ...options, deadline: options.deadline ?? Date.now() + CALL_TIMEOUT_MS })) as Interceptor;
