/** The CoAP gateway of a process: what loggers reach over UDP, on the same use cases as the HTTP API. */
import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../db/faults.ts';
import { createAuthenticateDevice } from '../gateway/authenticate-device.ts';
import { type CoapServer, createCoapServer } from '../gateway/coap-server.ts';
import { createGatewayRoutes } from '../gateway/gateway-routes.ts';
import { startIngressHeartbeat } from './ingress-heartbeat.ts';
import type { UseCases } from './use-cases.ts';

const REFUSED_MAX = 10_000;
const REFUSED_AGAIN_MS = 3_600_000;

export async function startGateway(useCases: UseCases): Promise<CoapServer> {
  const { settings, log, now, sql, metrics, findCaller, repositories, services } = useCases;
  const { coap } = settings;
  const identify = createAuthenticateDevice({
    findCaller,
    findOwners: repositories.assets.findOwners,
    isTokenRequired: coap.isTokenRequired,
    isCommonFault: isUnavailable,
    now: () => now().getTime(),
  });
  /** A device that keeps coming is told of once an hour. */
  const told = new LRUCache<string, true>({ max: REFUSED_MAX, ttl: REFUSED_AGAIN_MS });
  const server = await createCoapServer({
    host: settings.host,
    port: coap.port,
    tokenOption: coap.tokenOption,
    routes: createGatewayRoutes({
      identify,
      intake: services.intake,
      contacts: services.contacts,
      deviceInfo: services.deviceInfo,
      unknown: repositories.unregisteredIn(sql),
      refused: ({ reason, serialNumber, address }) => {
        metrics.coapRefused.inc({ reason });
        const key = `${reason} ${serialNumber}`;
        if (told.has(key)) return;
        told.set(key, true);
        log.warn({ reason, serialNumber, address }, 'device refused');
      },
      now,
    }),
    observe: ({ path, confirmable, code }) =>
      metrics.coapMessages.inc({ path: path ?? 'none', type: confirmable ? 'con' : 'non', code }),
    log: (message, err) => log.error({ err }, message),
  });
  const listening = startIngressHeartbeat(useCases, 'gateway');
  return {
    port: server.port,
    async stop(deadlineMs) {
      await Promise.all([listening.stop(), server.stop(deadlineMs)]);
    },
  };
}
