/** A client that connects to Temporal at its first call and again after a fault, so no process waits for Temporal. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { TemporalSettings } from '../process/config.ts';
import type { TemporalAccess } from '../process/temporal-settings.ts';
import type { Tracing } from '../process/tracing.ts';
import { traceStarts } from './trace-header.ts';

export interface TemporalConnection {
  options: { address: string } & TemporalAccess;
  namespace: string;
}

/** Calls may fail: rows ask for the work, and a sweep repeats lost calls. */
const CALL_TIMEOUT_MS = 5_000;
const HEALTH_TIMEOUT_MS = 500;
/** With gRPC's own limit of two minutes, the return of Temporal would go unnoticed for that long. */
const RECONNECT_MS_MAX = 2_000;

/** Temporal runs beside the service, but gRPC would use the proxy for the web in the environment. */
export const NO_PROXY = { 'grpc.enable_http_proxy': 0 };

export const toTemporalConnection = (settings: TemporalSettings): TemporalConnection => ({
  options: { address: settings.temporalAddress, ...settings.temporalAccess },
  namespace: settings.temporalNamespace,
});

export function connectTemporal({ options, namespace }: TemporalConnection, tracing: Tracing | null = null) {
  const connection = Connection.lazy({
    ...options,
    interceptors: [withDeadline],
    channelArgs: { ...NO_PROXY, 'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX },
  });
  return {
    client: new Client({
      connection,
      namespace,
      ...(tracing && { interceptors: { workflow: [traceStarts(tracing)] } }),
    }),
    /** Whether the server answers in time; never throws. */
    isUp(): Promise<boolean> {
      const answer = connection.workflowService.getSystemInfo({}).then(
        () => true,
        () => false,
      );
      // A readiness probe times out after a second.
      return Promise.race([answer, delay(HEALTH_TIMEOUT_MS, false, { ref: false })]);
    },
    close: () => connection.close(),
  };
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * Sets the deadline of every call. It also replaces the client's retries: callers recover from faults themselves, and a
 * retry still pending when the connection closes would end the process. `Connection.withDeadline` uses an
 * AsyncLocalStorage, which before Node 24 makes every promise of the process slower from its first use on.
 */
const withDeadline = ((options, nextCall) =>
  nextCall({ ...options, deadline: options.deadline ?? Date.now() + CALL_TIMEOUT_MS })) as Interceptor;
