/** The composition root: a service out of its parts. A process starts those that it is for. */
import type { WorkflowBundleOption } from '@temporalio/worker';
import { listenMetrics } from '../http/metrics.ts';
import { openApi } from '../http/openapi.ts';
import { readSettings } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { API_INFO } from '../process/version.ts';
import { routesOf, startApi } from './api.ts';
import { startGateway } from './gateway.ts';
import { type ComposeOptions, createUseCases } from './use-cases.ts';
import { startWorker } from './worker.ts';

export type Service = ReturnType<typeof compose>;

export function compose(options: ComposeOptions) {
  const useCases = createUseCases(options);
  const routes = routesOf(useCases);
  const { settings, metrics } = useCases;
  return {
    sql: useCases.sql,
    routes,
    temporal: useCases.temporal,
    startApi: () => startApi(useCases, routes),
    startWorker: (workflowBundle?: WorkflowBundleOption) => startWorker(useCases, workflowBundle),
    startGateway: () => startGateway(useCases),
    /** Of whatever this process does; every process has its own. */
    startMetrics: () => listenMetrics(metrics, settings.host, settings.metricsPort),
    /** After the parts have stopped. */
    close: useCases.close,
  };
}

/** The API as it documents itself; nothing is connected. */
export function documentedApi() {
  const settings = readSettings({
    DATABASE_URL: 'postgres://nowhere',
    TEMPORAL_ADDRESS: 'nowhere:1',
    SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  });
  return openApi(compose({ settings, log: createLog('silent') }).routes, API_INFO);
}
