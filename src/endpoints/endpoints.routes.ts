/** Two collections with one set of operations; their differences are data. */
import type Joi from 'joi';
import type { Database } from '../db/database.ts';
import type { Shown } from '../http/audit.ts';
import { type Caller, created, noContent, ok, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { notFound, orNotFound } from '../process/errors.ts';
import {
  type ChangeEndpoint,
  type CreateEndpoint,
  cellularWebhookView,
  type Endpoint,
  eventWebhookView,
  NO_SUCH_ENDPOINT,
} from './endpoint.ts';
import { CELLULAR_WEBHOOKS, type EndpointCollection, EVENT_WEBHOOKS } from './endpoint-collections.ts';
import type { ShownHealthRepository } from './endpoint-health.repository.ts';
import type { EndpointsRepository } from './endpoints.repository.ts';
import {
  cellularWebhookListSchema,
  cellularWebhookSchema,
  changeCellularWebhookBody,
  changeWebhookBody,
  createCellularWebhookBody,
  createWebhookBody,
  type ListEndpoints,
  listCellularWebhooksQuery,
  listWebhooksQuery,
  webhookListSchema,
  webhookSchema,
} from './endpoints.schemas.ts';
import type { EndpointsService } from './endpoints.service.ts';
import { newHealth, type ShownHealth } from './shown-health.ts';

interface CollectionShape extends EndpointCollection {
  view(endpoint: Endpoint, health: ShownHealth): unknown;
  listQuery: Joi.ObjectSchema<ListEndpoints>;
  createBody: Joi.ObjectSchema<CreateEndpoint>;
  changeBody: Joi.ObjectSchema<ChangeEndpoint>;
  schema: Joi.Schema;
  listSchema: Joi.Schema;
}

const cellular: CollectionShape = {
  ...CELLULAR_WEBHOOKS,
  view: cellularWebhookView,
  listQuery: listCellularWebhooksQuery,
  createBody: createCellularWebhookBody,
  changeBody: changeCellularWebhookBody,
  schema: cellularWebhookSchema,
  listSchema: cellularWebhookListSchema,
};

const event: CollectionShape = {
  ...EVENT_WEBHOOKS,
  view: eventWebhookView,
  listQuery: listWebhooksQuery,
  createBody: createWebhookBody,
  changeBody: changeWebhookBody,
  schema: webhookSchema,
  listSchema: webhookListSchema,
};

interface EndpointsRoutesDeps {
  endpoints: EndpointsRepository;
  endpointsIn(sql: Database): EndpointsRepository;
  health: ShownHealthRepository;
  healthIn(sql: Database): ShownHealthRepository;
  service: EndpointsService;
}

export function endpointsRoutes(deps: EndpointsRoutesDeps): Route[] {
  return [...collectionRoutes(cellular, deps), ...collectionRoutes(event, deps)];
}

const params = idParams('webhookId');

function collectionRoutes(shape: CollectionShape, deps: EndpointsRoutesDeps): Route[] {
  const { endpoints, endpointsIn, health, healthIn, service } = deps;
  const { collection, path, tag, noun, operationName } = shape;
  const itemPath = `${path}/{webhookId}`;
  const toScope = ({ organizationId }: Caller) => ({ organizationId, collection });
  const shown: Shown = {
    schema: shape.schema,
    async find(sql, organizationId, id) {
      const endpoint = await endpointsIn(sql).find({ organizationId, collection }, id);
      return endpoint && view(healthIn(sql), organizationId, endpoint);
    },
  };

  async function views(
    states: ShownHealthRepository,
    organizationId: string,
    found: Endpoint[],
  ): Promise<unknown[]> {
    const listed = await states.list(
      organizationId,
      found.map(({ id }) => id),
    );
    const byId = new Map(listed.map((state) => [state.endpointId, state]));
    return found.flatMap((endpoint) => {
      const state = byId.get(endpoint.id);
      return state ? [shape.view(endpoint, state)] : [];
    });
  }

  async function view(
    states: ShownHealthRepository,
    organizationId: string,
    endpoint: Endpoint,
  ): Promise<unknown> {
    const [viewed] = await views(states, organizationId, [endpoint]);
    if (!viewed) throw notFound(NO_SUCH_ENDPOINT);
    return viewed;
  }

  return [
    route({
      method: 'GET',
      path,
      operationId: `list${operationName}s`,
      summary: `List ${noun.many}, newest last`,
      description: 'All of them in one answer: a collection holds at most 100. Secrets are never shown.',
      tag,
      query: shape.listQuery,
      responses: { 200: shape.listSchema },
      async handle({ caller, query: { status = null, limit = null } }) {
        const { items, total } = await endpoints.list(toScope(caller), { status, limit });
        return ok({
          recType: shape.listRecType,
          items: await views(health, caller.organizationId, items),
          totalItems: total,
        });
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: `create${operationName}`,
      summary: `Create ${noun.one}`,
      description:
        'Events that happen from now on are delivered to it. 409 when the collection holds 100 already.',
      tag,
      body: shape.createBody,
      responses: { 201: shape.schema },
      errors: [409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        const endpoint = await service.add(transact, toScope(caller), body);
        return created(shape.view(endpoint, newHealth(endpoint)), { Location: `${path}/${endpoint.id}` });
      },
    }),
    route({
      method: 'GET',
      path: itemPath,
      operationId: `get${operationName}`,
      summary: `Get ${noun.one}`,
      description: 'With its status and, when it is disabled, the reason. The secret is never shown.',
      tag,
      params,
      responses: { 200: shape.schema },
      errors: [404],
      async handle({ caller, params: { webhookId } }) {
        const endpoint = orNotFound(await endpoints.find(toScope(caller), webhookId), NO_SUCH_ENDPOINT);
        return ok(await view(health, caller.organizationId, endpoint));
      },
    }),
    route({
      method: 'PATCH',
      path: itemPath,
      operationId: `update${operationName}`,
      summary: `Change ${noun.one}`,
      description: 'What is left out stays.',
      tag,
      params,
      body: shape.changeBody,
      responses: { 200: shape.schema },
      errors: [404],
      audit: { subject: 'webhookId', shown },
      async handle({ caller, params: { webhookId }, body, transact }) {
        const endpoint = await service.change(transact, toScope(caller), webhookId, body);
        return ok(await transact(({ sql }) => view(healthIn(sql), caller.organizationId, endpoint)));
      },
    }),
    route({
      method: 'POST',
      path: `${itemPath}/retry`,
      operationId: `retry${operationName}`,
      summary: `Retry what waits for ${noun.one} now`,
      description:
        'While the receiver fails, one delivery is sent as a probe, and the others follow when it succeeds; otherwise all that waits for a retry is sent, paced. 409 on a disabled webhook.',
      tag,
      params,
      responses: { 200: shape.schema },
      errors: [404, 409],
      audit: { subject: 'webhookId', shown },
      async handle({ caller, params: { webhookId }, transact }) {
        const endpoint = await service.retryNow(transact, toScope(caller), webhookId);
        return ok(await transact(({ sql }) => view(healthIn(sql), caller.organizationId, endpoint)));
      },
    }),
    route({
      method: 'DELETE',
      path: itemPath,
      operationId: `delete${operationName}`,
      summary: `Delete ${noun.one}`,
      description:
        'What is queued for it is cancelled; a request that is being sent right now may still arrive.',
      tag,
      params,
      responses: { 204: null },
      errors: [404],
      audit: { subject: 'webhookId', shown },
      async handle({ caller, params: { webhookId }, transact }) {
        await service.remove(transact, toScope(caller), webhookId);
        return noContent();
      },
    }),
  ];
}
