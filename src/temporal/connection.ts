/** The client's way to Temporal: it connects when first used and again after a fault, so nobody waits for it to be up. */
import { Client, Connection } from '@temporalio/client';
import type { DependencyHealth } from '../http/health.ts';

export interface TemporalClient {
  client: Client;
  health(): Promise<DependencyHealth>;
  close(): Promise<void>;
}

const HEALTH_TIMEOUT_MS = 1_000;
/** gRPC's own limit is two minutes, for which nobody would notice that Temporal is back. */
const RECONNECT_MS_MAX = 2_000;

export function connectTemporal(address: string, namespace: string): TemporalClient {
  const connection = Connection.lazy({
    address,
    channelArgs: { 'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX },
  });
  return {
    client: new Client({ connection, namespace }),
    async health() {
      try {
        await connection.withDeadline(Date.now() + HEALTH_TIMEOUT_MS, () =>
          connection.workflowService.getSystemInfo({}),
        );
        return { state: 'ok', message: 'answers' };
      } catch {
        return { state: 'degraded', message: 'does not answer: jobs are taken on and start when it is back' };
      }
    },
    close: () => connection.close(),
  };
}
