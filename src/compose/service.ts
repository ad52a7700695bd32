/** The composition root: builds the service out of its slices. A process starts the parts that it needs. */
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createReadiness, type Phase } from '../http/health.ts';
import { listenMetrics } from '../http/metrics-server.ts';
import { readSettings } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { readCoreMetrics } from '../temporal/runtime.ts';
import { routesOf, startApi } from './api.ts';
import { apiDocument } from './api-document.ts';
import { composeClock } from './clock.ts';
import { startGateway } from './gateway.ts';
import { healthChecks } from './health.ts';
import { operatorLinkRoutes } from './operator.ts';
import { type ComposeOptions, openResources } from './resources.ts';
import { composeProcessMetrics, type ProcessKind } from './service-metrics.ts';
import { composeSlices } from './slices.ts';
import { startWorker } from './worker.ts';

export type Service = ReturnType<typeof compose>;

export function compose(options: ComposeOptions) {
  const resources = openResources(options);
  const slices = composeSlices(resources);
  const routes = [...routesOf(slices), ...operatorLinkRoutes(resources)];
  const clock = composeClock(resources);
  const { settings, sql, transferSql, lagging, temporal, metrics, tracing } = resources;
  let phase: Phase = 'starting';
  const kinds = new Set<ProcessKind>();
  const { timeZoneRules, queueNotifier } = resources;
  const checks = healthChecks(resources);
  const readReadiness = createReadiness({ checks, phase: () => phase, timeZoneRules });
  composeProcessMetrics(resources, { kinds, readReadiness });
  async function onTime<Part>(kind: ProcessKind, start: () => Promise<Part>): Promise<Part> {
    kinds.add(kind);
    await clock.start();
    lagging.start();
    const part = await start();
    phase = 'up';
    return part;
  }
  return {
    sql,
    transferSql,
    routes,
    temporal,
    startApi: () => onTime('api', () => startApi(resources, slices, { routes, readReadiness })),
    startWorker: (workflowBundle?: WorkflowBundleOption) =>
      onTime('worker', () => startWorker(resources, slices, routes, workflowBundle)),
    startGateway: () => onTime('gateway', () => startGateway(resources, slices)),
    /** Serves metrics and state of this process; every process has its own port. */
    startMetrics: () =>
      listenMetrics({
        host: settings.host,
        port: settings.metricsPort,
        contentType: metrics.registry.contentType,
        readMetrics: async () => `${await metrics.registry.metrics()}${await readCoreMetrics()}`,
        readReadiness,
      }),
    /** From now on the process reports that it is not ready. */
    drain(): void {
      phase = 'draining';
    },
    /** To be called after the parts have stopped. */
    async close(): Promise<void> {
      await clock.stop();
      await slices.configJobs.flush();
      await slices.escalations.flush();
      await queueNotifier.stop();
      await slices.deliveries.close();
      slices.notifications.close();
      await temporal.close();
      await lagging.close();
      await Promise.all([sql.destroy(), transferSql.destroy()]);
      await tracing?.close();
    },
  };
}

/** The routes for the API document, without any connection. */
export function documentedApi() {
  const settings = readSettings({
    DATABASE_URL: 'postgres://nowhere',
    TEMPORAL_ADDRESS: 'nowhere:1',
    SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  });
  return apiDocument(compose({ settings, log: createLog('silent') }).routes);
}
