/** Temporal's core, of which a process has one: its log goes to ours, its metrics to those of the process. */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Log } from '../process/log.ts';

let isInstalled = false;

/** Once per process, before the first connection of a worker. */
export function installRuntime(log: Log, { metricsAddress }: { metricsAddress?: string } = {}): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } },
      ...(metricsAddress !== undefined && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
    shutdownSignals: [],
  });
}
