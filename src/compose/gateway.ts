/** The CoAP gateway of a process, for loggers over UDP, on the same use cases as the HTTP API. */
import { createAuthenticateDevice } from '../gateway/authenticate-device.ts';
import { type CoapServer, createCoapServer } from '../gateway/coap-server.ts';
import { createGatewayRoutes, type GatewayRoutesDeps } from '../gateway/gateway-routes.ts';
import { createRefusalLog, LINES_PER_MINUTE } from '../gateway/refusal-log.ts';
import { addGauge } from '../http/instruments.ts';
import { MINUTE_MS } from '../process/durations.ts';
import { createLimitedLog } from '../process/limited-log.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';
import { traceLoggers } from './traces.ts';

export async function startGateway(resources: Resources, slices: Slices): Promise<CoapServer> {
  const { settings, metrics } = resources;
  const server = await createCoapServer({
    host: settings.host,
    port: settings.coap.port,
    tokenOption: settings.coap.tokenOption,
    routes: traceLoggers(resources.tracing, composeGatewayRoutes(resources, slices)),
    observe: ({ path, confirmable, code }) =>
      metrics.coapMessages.inc({ path: path ?? 'none', type: confirmable ? 'con' : 'non', code }),
    log: createErrorLog(resources),
  });
  addGauge(metrics.registry, {
    name: 'dms_coap_exchanges',
    help: 'Requests of loggers under way',
    read: () => [{ value: server.countUnderWay() }],
  });
  const heartbeat = slices.presence.startIngressHeartbeat('gateway');
  return {
    port: server.port,
    countUnderWay: server.countUnderWay,
    async stop(deadlineMs) {
      await Promise.all([heartbeat.stop(), server.stop(deadlineMs)]);
    },
  };
}

function composeGatewayRoutes(resources: Resources, { keys, assets, measurements }: Slices) {
  const { settings, now, monotonicMs } = resources;
  return createGatewayRoutes({
    authenticateDevice: createAuthenticateDevice({
      findCaller: keys.findCaller,
      limit: keys.limits.device,
      organizationLimit: keys.organizationLimits.device,
      failures: keys.failures,
      findOwners: assets.findOwners,
      isTokenRequired: settings.coap.isTokenRequired,
      addressTrustMs: settings.coap.addressTrustMs,
      monotonicMs,
    }),
    intake: measurements.intake,
    onRefused: composeRefusals(resources),
    now,
  });
}

function composeRefusals({ metrics, log }: Resources): GatewayRoutesDeps['onRefused'] {
  const writeRefusal = createRefusalLog({ warn: (fields, message) => log.warn(fields, message) });
  return (refusal) => {
    metrics.coapRefused.inc({ reason: refusal.reason });
    writeRefusal(refusal);
  };
}

/** Strangers can cause some errors with every datagram, for example by a port that cannot be answered. */
const createErrorLog = ({ log }: Resources) =>
  createLimitedLog<[message: string, err: unknown]>({
    write: (message, err) => log.error({ err }, message),
    writeLeftOut: (leftOut) => log.error({ leftOut }, 'further CoAP errors'),
    linesMax: LINES_PER_MINUTE,
    windowMs: MINUTE_MS,
  });
