import { counterOf, type MetricsRegistry } from '../http/instruments.ts';
import type { RefusalReason } from './authenticate-device.ts';

const REFUSAL_REASONS: readonly RefusalReason[] = [
  'wrong_token',
  'missing_token',
  'unregistered_serial',
  'ambiguous_serial',
];

export const createGatewayMetrics = (registry: MetricsRegistry) => ({
  coapMessages: counterOf(registry, {
    name: 'dms_coap_messages_total',
    help: 'CoAP messages by path, type and response code, including responses that are not sent',
    labelNames: ['path', 'type', 'code'],
  }),
  coapRefused: counterOf(registry, {
    name: 'dms_coap_refused_total',
    help: 'Device messages that were refused, by reason',
    series: REFUSAL_REASONS.map((reason) => ({ reason })),
  }),
});
