/**
 * Where traces begin, continue and are stored. While traces are off, each of these is null or passes its
 * input on.
 */
import type { DomainEvent } from '../db/domain-event.ts';
import type { TransactWith } from '../db/transaction.ts';
import type { AttemptResult } from '../deliveries/delivery.ts';
import type { OutgoingRequest } from '../deliveries/sender.service.ts';
import { serialKeyOf } from '../devices/serial-number.ts';
import type { CoapRoute } from '../gateway/coap-server.ts';
import { onceAMinute } from '../process/limited-log.ts';
import type { Log } from '../process/log.ts';
import type { Tracing } from '../process/tracing.ts';

type MaybeTracing = Tracing | null;

export const traceTransactions = <Tx>(tracing: MaybeTracing, transact: TransactWith<Tx>): TransactWith<Tx> =>
  tracing === null
    ? transact
    : (work) =>
        tracing.span(
          { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } },
          () => transact(work),
        );

/** In a batch of messages, an event belongs to the trace of its device's message. */
export const eventTraces = (tracing: MaybeTracing) =>
  tracing &&
  (({ organizationId, data }: DomainEvent): string | null =>
    'serialNumber' in data
      ? tracing.ofItem(serialKeyOf({ organizationId, serialNumber: data.serialNumber }))
      : tracing.current());

type Send = (outgoing: OutgoingRequest) => Promise<AttemptResult>;

/** The receiver gets the span of this attempt as the parent of its own. */
export const traceDeliveries = (tracing: MaybeTracing, send: Send): Send =>
  tracing === null
    ? send
    : (outgoing) => {
        if (!outgoing.trace) return send(outgoing);
        const attributes = { 'server.address': new URL(outgoing.url).hostname };
        return tracing.span(
          { name: 'webhook', kind: 'client', parent: outgoing.trace, attributes },
          async (span) => {
            const result = await send({ ...outgoing, trace: tracing.current() });
            span.set({ 'dms.verdict': result.verdict });
            if (result.statusCode !== null) span.set({ 'http.response.status_code': result.statusCode });
            if (result.verdict !== 'delivered') span.fail(result.verdict);
            return result;
          },
        );
      };

/** In the plain log, because the outage summary would mistake a refused connection for one to PostgreSQL. */
export const warnOfLostSpans = (log: Log) =>
  onceAMinute((err: unknown) =>
    log.warn({ err }, 'The collector of traces did not take spans: they are dropped'),
  );

/** Loggers send no trace, so each message begins one. */
export function traceLoggers(
  tracing: MaybeTracing,
  routes: Record<string, CoapRoute>,
): Record<string, CoapRoute> {
  if (tracing === null) return routes;
  const traced = Object.entries(routes).map(([path, route]): [string, CoapRoute] => [
    path,
    {
      ...route,
      handle: (call) =>
        tracing.span(
          { name: `CoAP ${path}`, kind: 'server', attributes: { 'dms.confirmable': call.confirmable } },
          async (span) => {
            const answer = await route.handle(call);
            span.set({ 'dms.coap.code': answer.code });
            return answer;
          },
        ),
    },
  ]);
  return Object.fromEntries(traced);
}
