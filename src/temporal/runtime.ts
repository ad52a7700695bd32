/**
 * Temporal's core, once per process: its log goes to the service's log, and its metrics to the metrics of the process.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';
import type { Log } from '../process/log.ts';

const READ_TIMEOUT_MS = 1_000;

let installing: Promise<void> | undefined;
let metricsAddress: string | null = null;

/** To be called once per process, before the first connection of a worker. */
export function installRuntime(log: Log): Promise<void> {
  installing ??= install(log);
  return installing;
}

/** The core serves its metrics itself: on loopback, where only this process reads them. */
export function installMeasuredRuntime(log: Log): Promise<void> {
  installing ??= installMeasured(log);
  return installing;
}

async function installMeasured(log: Log): Promise<void> {
  const bindAddress = await freeAddress();
  await install(log, { prometheus: { bindAddress } });
  metricsAddress = bindAddress;
}

/** Loads Temporal's core, which processes without a worker do not need. */
async function install(log: Log, metrics?: TelemetryOptions['metrics']): Promise<void> {
  const { DefaultLogger, Runtime } = await import('@temporalio/worker');
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message);
    }),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } }, metrics },
    shutdownSignals: [],
  });
}

/** In the format of Prometheus; empty in a process without a worker, and while the core does not answer. */
export async function readCoreMetrics(): Promise<string> {
  if (metricsAddress === null) return '';
  const url = `http://${metricsAddress}/metrics`;
  return fetch(url, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) }).then(
    (answer) => answer.text(),
    () => '',
  );
}

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}
