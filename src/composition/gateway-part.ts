/** The CoAP gateway of a process: what loggers reach over UDP, on the same use cases as the HTTP API. */
import { isUnavailable } from '../db/faults.ts';
import { type CoapServer, createCoapServer } from '../gateway/coap-server.ts';
import { createGatewayRoutes } from '../gateway/gateway-routes.ts';
import { createIdentify } from '../gateway/identify.ts';
import type { UseCases } from './use-cases.ts';

export async function startGateway(useCases: UseCases): Promise<CoapServer> {
  const { settings, log, now, sql, metrics, findCaller, repositories, services } = useCases;
  const { coap } = settings;
  const identify = createIdentify({
    findCaller,
    findOwners: repositories.assets.findOwners,
    isTokenRequired: coap.isTokenRequired,
    isCommonFault: isUnavailable,
    now: () => now().getTime(),
  });
  return createCoapServer({
    host: settings.host,
    port: coap.port,
    tokenOption: coap.tokenOption,
    routes: createGatewayRoutes({
      identify,
      intake: services.intake,
      contacts: services.contacts,
      deviceInfo: services.deviceInfo,
      unknown: repositories.unknownIn(sql),
      refused: (reason) => metrics.coapRefused.inc({ reason }),
      now,
    }),
    observe: ({ path, confirmable, code }) =>
      metrics.coapMessages.inc({ path: path ?? 'none', type: confirmable ? 'con' : 'non', code }),
    log: (message, err) => log.error({ err }, message),
  });
}
