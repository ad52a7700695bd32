/** The CoAP gateway of a process: what loggers reach over UDP, on the same use cases as the HTTP API. */
import { LRUCache } from 'lru-cache';
import { createAuthenticateDevice } from '../gateway/authenticate-device.ts';
import { type CoapServer, createCoapServer } from '../gateway/coap-server.ts';
import { createGatewayRoutes, type GatewayRoutesDeps } from '../gateway/gateway-routes.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';

const LOGGED_REFUSALS_MAX = 10_000;
const LOGGED_AGAIN_AFTER_MS = 3_600_000;

export async function startGateway(resources: Resources, slices: Slices): Promise<CoapServer> {
  const { settings, log, metrics } = resources;
  const server = await createCoapServer({
    host: settings.host,
    port: settings.coap.port,
    tokenOption: settings.coap.tokenOption,
    routes: composeGatewayRoutes(resources, slices),
    observe: ({ path, confirmable, code }) =>
      metrics.coapMessages.inc({ path: path ?? 'none', type: confirmable ? 'con' : 'non', code }),
    log: (message, err) => log.error({ err }, message),
  });
  const heartbeat = slices.presence.startIngressHeartbeat('gateway');
  return {
    port: server.port,
    async stop(deadlineMs) {
      await Promise.all([heartbeat.stop(), server.stop(deadlineMs)]);
    },
  };
}

function composeGatewayRoutes(resources: Resources, { keys, assets, devices, measurements }: Slices) {
  const { settings, now } = resources;
  return createGatewayRoutes({
    authenticateDevice: createAuthenticateDevice({
      findCaller: keys.findCaller,
      limit: keys.limits.device,
      failures: keys.failures,
      findOwners: assets.findOwners,
      isTokenRequired: settings.coap.isTokenRequired,
      now: () => now().getTime(),
    }),
    intake: measurements.intake,
    exchanges: devices.exchanges,
    deviceInfo: devices.deviceInfo,
    unregisteredDevices: devices.unregistered,
    onRefused: createRefusalLog(resources),
    now,
  });
}

/** Logs a device that is refused again and again once an hour; each refusal is counted. */
function createRefusalLog({ metrics, log }: Resources): GatewayRoutesDeps['onRefused'] {
  const logged = new LRUCache<string, true>({ max: LOGGED_REFUSALS_MAX, ttl: LOGGED_AGAIN_AFTER_MS });
  return ({ reason, serialNumber, address }) => {
    metrics.coapRefused.inc({ reason });
    const key = `${reason} ${serialNumber}`;
    if (logged.has(key)) return;
    logged.set(key, true);
    log.warn({ reason, serialNumber, address }, 'device refused');
  };
}
