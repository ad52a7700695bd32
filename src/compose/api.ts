/** The HTTP API of a process: its routes, the authentication of callers, and the server. */
import { isUnavailable } from '../db/faults.ts';
import { createApp, type RequestLog } from '../http/app.ts';
import { createAuthenticate, createIsStillValid } from '../http/authenticate.ts';
import { createClientAddress } from '../http/client-address.ts';
import { createHealth, type ReadReadiness } from '../http/health.ts';
import { createIdempotency, type IdempotencyRequest } from '../http/idempotency.ts';
import { createIdempotencyKeysRepository } from '../http/idempotency-keys.repository.ts';
import type { Route } from '../http/route.ts';
import { listen } from '../http/server.ts';
import { AppError, rateLimited, unavailable } from '../process/errors.ts';
import { NoTurn } from '../process/keyed-semaphore.ts';
import { apiDocument } from './api-document.ts';
import { composeOperator } from './operator.ts';
import type { Resources } from './resources.ts';
import { composeSite } from './site.ts';
import type { Slices } from './slices.ts';

/** In the order of the documentation. */
export const routesOf = (slices: Slices): Route[] => [
  ...slices.profiles.routes,
  ...slices.configJobs.routes,
  ...slices.devices.routes,
  ...slices.measurements.routes,
  ...slices.statistics.routes,
  ...slices.assets.routes,
  ...slices.mutes.routes,
  ...slices.groups.routes,
  ...slices.fleet.routes,
  ...slices.certificates.routes,
  ...slices.alerts.routes,
  ...slices.endpoints.routes,
  ...slices.deliveries.routes,
  ...slices.notifications.routes,
  ...slices.escalations.routes,
  ...slices.keys.routes,
  ...slices.audit.routes,
];

interface ApiNeeds {
  routes: Route[];
  readReadiness: ReadReadiness;
}

export async function startApi(resources: Resources, slices: Slices, { routes, readReadiness }: ApiNeeds) {
  const { settings, transactFor, secretBox } = resources;
  const withIdempotency = createIdempotency(
    createIdempotencyKeysRepository(answerBox(secretBox)),
    transactFor,
  );
  const operator = composeOperator(resources, slices, { routes, translateFault, withIdempotency });
  const app = createApp({
    routes,
    authenticate: createAuthenticate(slices.keys),
    isStillValid: createIsStillValid(slices.keys),
    clientAddress: createClientAddress(settings.trustedProxies),
    transactFor,
    withIdempotency,
    recordAudit: slices.audit.record,
    translateFault,
    observe: observer(resources),
    tracing: resources.tracing,
    now: resources.now,
    extras: [
      createHealth(readReadiness),
      ...composeSite(
        { hasOperatorsPage: operator !== null, makeDocument: () => apiDocument(routes) },
        resources,
      ),
    ],
    pages: operator?.pages ?? null,
  });
  const server = await listen({
    listener: app.callback(),
    host: settings.host,
    port: settings.port,
    requestTimeoutMs: settings.requestTimeoutMs,
    writeTimeoutMs: settings.writeTimeoutMs,
  });
  const { port, stop } = server;
  const drain = () => {
    operator?.close();
    server.drain();
  };
  const heartbeat = slices.presence.startIngressHeartbeat('api');
  return {
    port,
    drain,
    async stop(deadlineMs: number): Promise<void> {
      operator?.close();
      await Promise.all([heartbeat.stop(), stop(deadlineMs)]);
    },
  };
}

/** Stored answers are encrypted, each bound to its organization and key. */
function answerBox({ seal, open }: Resources['secretBox']) {
  const ownerOf = ({ organizationId, key }: IdempotencyRequest) => ({
    organizationId,
    rowId: `idempotency:${key}`,
  });
  return {
    seal: (text: string, request: IdempotencyRequest) => seal(text, ownerOf(request)),
    open: (sealed: Buffer, request: IdempotencyRequest) => open(sealed, ownerOf(request)),
  };
}

/**
 * An error without a cause is a deliberate refusal: logging it would let clients flood the log. Metrics count
 * it.
 */
const isOverload = (error: unknown): boolean => error instanceof AppError && error.cause === undefined;

function observer({ metrics, log }: Resources) {
  return (entry: RequestLog): void => {
    const { error, durationMs, operationId, status } = entry;
    metrics.requestDuration.observe({ operation: operationId, status: String(status) }, durationMs / 1000);
    const hasFailed = status >= 500 && error !== undefined && !isOverload(error);
    if (!hasFailed && !log.isLevelEnabled('debug')) return;
    const fields = { ...entry, error: undefined, durationMs: Math.round(durationMs) };
    if (hasFailed) log.error({ ...fields, err: error }, 'request failed');
    else log.debug(fields, 'request');
  };
}

/** A request without a turn, and an unavailable database, are expected faults; any other error of a driver is a defect. */
function translateFault(error: unknown): unknown {
  if (error instanceof NoTurn)
    return rateLimited('There are too many requests at present: try again soon', 5);
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return unavailable('The database cannot be reached at present: try again soon', 5, error);
}
