/** The HTTP API of a process: its routes, who may call them, and the server. */
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { alertsRoutes } from '../alerts/alerts.routes.ts';
import { assetsRoutes } from '../assets/assets.routes.ts';
import { certificatesRoutes } from '../certificates/certificates.routes.ts';
import { configJobsRoutes } from '../config-jobs/config-jobs.routes.ts';
import { createConfigTargetsRepository } from '../config-jobs/config-targets.repository.ts';
import { isUnavailable } from '../db/faults.ts';
import { databaseHealth } from '../db/health.ts';
import { deliveriesRoutes } from '../deliveries/deliveries.routes.ts';
import { devicesRoutes } from '../devices/devices.routes.ts';
import { webhooksRoutes } from '../endpoints/endpoints.routes.ts';
import { createApp, type RequestLog } from '../http/app.ts';
import { createAuthenticate } from '../http/authenticate.ts';
import { createDocs } from '../http/docs.ts';
import { createHealth } from '../http/health.ts';
import { createIdempotency, type IdempotencyRequest } from '../http/idempotency.ts';
import { createIdempotencyKeysRepository } from '../http/idempotency-keys.repository.ts';
import { openApi } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { type HttpServer, listen } from '../http/server.ts';
import { createTokenBucket } from '../http/token-bucket.ts';
import { createMeasurementsRepository } from '../measurements/measurements.repository.ts';
import { measurementsRoutes } from '../measurements/measurements.routes.ts';
import { AppError } from '../process/errors.ts';
import { API_INFO } from '../process/version.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { profilesRoutes } from '../profiles/profiles.routes.ts';
import { startIngressHeartbeat } from './ingress-heartbeat.ts';
import type { UseCases } from './use-cases.ts';

export interface RunningApi {
  port: number;
  stop(deadlineMs: number): Promise<void>;
}

export function routesOf({ repositories, services, sql, now }: UseCases): Route[] {
  const { assets, webhooks, deliveries, jobs, devicesIn } = repositories;
  const { contacts, intake } = services;
  return [
    ...profilesRoutes({ profiles: createProfilesRepository(sql), profilesIn: createProfilesRepository }),
    ...configJobsRoutes({ jobs, targets: createConfigTargetsRepository(sql), service: services.jobsService }),
    ...devicesRoutes({ devices: devicesIn(sql), contacts, now }),
    ...measurementsRoutes({ intake, measurements: createMeasurementsRepository(sql), now }),
    ...assetsRoutes(assets, services.assetsService),
    ...certificatesRoutes(services.certificates),
    ...alertsRoutes(createAlertsRepository(sql)),
    ...webhooksRoutes({ webhooks, service: services.webhooksService }),
    ...deliveriesRoutes({ deliveries, webhooks, service: services.deliveriesService }),
  ];
}

export async function startApi(useCases: UseCases, routes: Route[]): Promise<RunningApi> {
  const { settings } = useCases;
  let server: HttpServer | undefined;
  const app = appOf(useCases, routes, () => server?.isDraining() ?? false);
  server = await listen({
    listener: app.callback(),
    host: settings.host,
    port: settings.port,
    requestTimeoutMs: settings.requestTimeoutMs,
  });
  const { port, stop } = server;
  const listening = startIngressHeartbeat(useCases, 'api');
  return {
    port,
    async stop(deadlineMs) {
      await Promise.all([listening.stop(), stop(deadlineMs)]);
    },
  };
}

function appOf(useCases: UseCases, routes: Route[], isDraining: () => boolean) {
  const { settings, sql, transact, temporal, secretBox, findCaller, now } = useCases;
  const clock = () => now().getTime();
  const authenticate = createAuthenticate({
    findCaller,
    limits: {
      customer: createTokenBucket({ ...settings.customerLimit, now: clock }),
      device: createTokenBucket({ ...settings.deviceLimit, now: clock }),
    },
    failures: createTokenBucket({
      perSecond: settings.failedKeysPerMinute / 60,
      burst: settings.failedKeysPerMinute,
      now: clock,
    }),
  });
  const ownerOf = ({ organizationId, key }: IdempotencyRequest) => ({
    organizationId,
    rowId: `idempotency:${key}`,
  });
  const answerBox = {
    seal: (text: string, request: IdempotencyRequest) => secretBox.seal(text, ownerOf(request)),
    open: (sealed: Buffer, request: IdempotencyRequest) => secretBox.open(sealed, ownerOf(request)),
  };
  const checks = { database: () => databaseHealth(sql), temporal: temporal.health };
  return createApp({
    routes,
    authenticate,
    transact,
    withIdempotency: createIdempotency(createIdempotencyKeysRepository(answerBox), transact),
    translateFault,
    observe: observer(useCases),
    extras: [createHealth(checks, isDraining), createDocs(openApi(routes, API_INFO))],
  });
}

function observer({ metrics, log }: UseCases) {
  return (entry: RequestLog): void => {
    const { error, durationMs, operationId, status } = entry;
    metrics.requestDuration.observe({ operation: operationId, status: String(status) }, durationMs / 1000);
    const hasFailed = status >= 500 && error !== undefined;
    if (!hasFailed && !log.isLevelEnabled('debug')) return;
    const told = { ...entry, error: undefined, durationMs: Math.round(durationMs) };
    if (hasFailed) log.error({ ...told, err: error }, 'request failed');
    else log.debug(told, 'request');
  };
}

/** The database being away is an ordinary fault; what else a driver throws is a defect of ours. */
function translateFault(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return new AppError('unavailable', 'The database cannot be reached at present: try again soon', {
    cause: error,
    headers: { 'Retry-After': '5' },
  });
}
