import { type EndpointRef, NO_SUCH_ENDPOINT } from '../endpoints/endpoint.ts';
import { ENDPOINT_COLLECTIONS, type EndpointCollection } from '../endpoints/endpoint-collections.ts';
import type { EndpointScope } from '../endpoints/endpoints.repository.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { type Caller, ok, pageOf, type Route, route } from '../http/route.ts';
import { orNotFound } from '../process/errors.ts';
import type { DeliveriesRepository } from './deliveries.repository.ts';
import {
  deliveryDetailSchema,
  deliveryListSchema,
  deliveryParams,
  deliverySchema,
  listDeliveriesQuery,
  replayBody,
  replayedSchema,
  rotateBody,
  rotatedSchema,
  testedSchema,
  webhookParams,
} from './deliveries.schemas.ts';
import type { DeliveriesService } from './deliveries.service.ts';
import {
  type DeliveryEndpoint,
  deliveryDetailView,
  deliveryView,
  NO_SUCH_DELIVERY,
  storedStates,
} from './delivery.ts';

interface DeliveriesRoutesDeps {
  deliveries: DeliveriesRepository;
  endpoints: { find(scope: EndpointScope, id: string): Promise<DeliveryEndpoint | null> };
  service: DeliveriesService;
  /** Limits concurrent tests. */
  tests: ConcurrencyLimit;
}

export const deliveriesRoutes = (deps: DeliveriesRoutesDeps): Route[] =>
  ENDPOINT_COLLECTIONS.flatMap((collection) => collectionRoutes(collection, deps));

function collectionRoutes(
  { collection, path, tag, operationName }: EndpointCollection,
  { deliveries, endpoints, service, tests }: DeliveriesRoutesDeps,
): Route[] {
  const toScope = ({ organizationId }: Caller) => ({ organizationId, collection });

  async function requireEndpoint(
    caller: Caller,
    endpointId: string,
  ): Promise<EndpointRef & DeliveryEndpoint> {
    const endpoint = orNotFound(await endpoints.find(toScope(caller), endpointId), NO_SUCH_ENDPOINT);
    const { status, breaker } = endpoint;
    return { organizationId: caller.organizationId, endpointId, status, breaker };
  }

  return [
    route({
      method: 'GET',
      path: `${path}/{webhookId}/deliveries`,
      operationId: `list${operationName}Deliveries`,
      summary: 'List deliveries, newest first',
      description:
        'One item for each event that was queued for the endpoint, delivered or not. Kept for 7 days unless the operator has set another time. With eventType, and with state delivered, a page reads 10,000 deliveries at most: it may have fewer items than limit while nextCursor leads on.',
      tag,
      params: webhookParams,
      query: listDeliveriesQuery(collection),
      responses: { 200: deliveryListSchema },
      errors: [404],
      async handle({ caller, params: { webhookId }, query }) {
        const endpoint = await requireEndpoint(caller, webhookId);
        const { state, eventType = null, limit, cursor: before = null } = query;
        const states = state === undefined ? null : storedStates(state, endpoint.status);
        const isIndexed = eventType === null && state !== 'delivered';
        const floor = isIndexed ? null : await deliveries.findFloor(endpoint, before);
        const filter = { states, eventType, before, floor, limit: limit + 1 };
        const found = await deliveries.list(endpoint, filter);
        const view = (delivery: (typeof found)[number]) => deliveryView(delivery, endpoint);
        const { items, nextCursor } = pageOf(found, limit, ({ id }) => id, view);
        return ok({ items, nextCursor: nextCursor ?? floor });
      },
    }),
    route({
      method: 'GET',
      path: `${path}/{webhookId}/deliveries/{deliveryId}`,
      operationId: `get${operationName}Delivery`,
      summary: 'Get a delivery with its payload and its attempts',
      description:
        'payload is what is sent. Each attempt shows when it was made, how long it took, and what the receiver answered or why it failed. attempts holds the newest 100, oldest first; attemptCount counts all.',
      tag,
      params: deliveryParams,
      responses: { 200: deliveryDetailSchema },
      errors: [404],
      async handle({ caller, params: { webhookId, deliveryId } }) {
        const endpoint = await requireEndpoint(caller, webhookId);
        const delivery = orNotFound(await deliveries.find(endpoint, deliveryId), NO_SUCH_DELIVERY);
        const attempts = await deliveries.listAttempts(endpoint, delivery.id);
        const payload = JSON.parse(delivery.body);
        return ok(deliveryDetailView(delivery, endpoint, { payload, attempts }));
      },
    }),
    route({
      method: 'POST',
      path: `${path}/{webhookId}/deliveries/{deliveryId}/resend`,
      operationId: `resend${operationName}Delivery`,
      summary: 'Send a delivery again, with the same webhook-id',
      description:
        'One attempt at once, also while the endpoint is failing; when it fails, the whole schedule follows. 409 on a disabled endpoint, while an attempt is being made, and after 1,000 attempts.',
      tag,
      params: deliveryParams,
      responses: { 202: deliverySchema },
      errors: [404, 409],
      audit: { subject: 'deliveryId', after: (delivery) => delivery },
      async handle({ caller, params: { webhookId, deliveryId }, transact }) {
        const delivery = await service.resend(transact, toScope(caller), webhookId, deliveryId);
        return { status: 202, body: deliveryView(delivery, { status: 'active', breaker: 'closed' }) };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/{webhookId}/replay`,
      operationId: `replay${operationName}`,
      summary: 'Send all deliveries of a span of time again',
      description:
        'Failed and blocked ones unless states says otherwise; paced, with the same webhook-ids. queued counts up to 100,000, and delivered ones among the first 100,000 of the span: beyond that, more are sent than it says.',
      tag,
      params: webhookParams,
      body: replayBody,
      responses: { 202: replayedSchema },
      errors: [404, 409],
      audit: { subject: 'webhookId', after: (replayed) => replayed },
      async handle({ caller, params: { webhookId }, body, transact }) {
        const queued = await service.replay(transact, toScope(caller), webhookId, body);
        return { status: 202, body: { queued, ...body } };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/{webhookId}/test`,
      operationId: `test${operationName}`,
      summary: 'Send one webhook.test now and tell what came of it',
      description:
        'Also to a disabled endpoint. A test is sent once, is not listed among the deliveries, and changes neither health nor status of the endpoint. It takes its turn among the requests to the endpoint. error is "not reachable" when the host name has no address or none that is allowed.',
      tag,
      params: webhookParams,
      responses: { 200: testedSchema },
      errors: [404],
      // Idempotency would hold a transaction until the receiver answers. A repeated request is one more test.
      idempotent: false,
      async handle({ caller, params: { webhookId }, transact }) {
        const { verdict, statusCode, durationMs, error } = await tests.run(caller, () =>
          service.test(transact, toScope(caller), webhookId),
        );
        return ok({ delivered: verdict === 'delivered', statusCode, durationMs, error });
      },
    }),
    route({
      method: 'POST',
      path: `${path}/{webhookId}/rotate-secret`,
      operationId: `rotate${operationName}Secret`,
      summary: 'Replace the secret; the old one signs along for a while',
      description:
        'Until previousValidUntil every request carries a signature of the new and one of the old secret. Without secret in the body one is generated, and shown only in this answer.',
      tag,
      params: webhookParams,
      body: rotateBody,
      responses: { 200: rotatedSchema },
      errors: [404],
      answersSecret: true,
      audit: { subject: 'webhookId', after: ({ previousValidUntil }) => ({ previousValidUntil }) },
      async handle({ caller, params: { webhookId }, body, transact }) {
        const { secret, previousValidUntil } = await service.rotateSecret(
          transact,
          toScope(caller),
          webhookId,
          body.secret,
        );
        return ok({ secret, previousValidUntil: previousValidUntil?.toISOString() ?? null });
      },
    }),
  ];
}
