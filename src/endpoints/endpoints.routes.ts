/** Two collections, one set of operations: what differs between them is data. */
import type Joi from 'joi';
import type { Collection } from '../events/collection.ts';
import { type Caller, created, noContent, ok, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { notFound } from '../process/errors.ts';
import {
  type ChangeWebhook,
  type CreateWebhook,
  cellularWebhookView,
  eventWebhookView,
  NO_SUCH_WEBHOOK,
  type Webhook,
} from './endpoint.ts';
import type { EndpointsRepository } from './endpoints.repository.ts';
import {
  cellularWebhookListSchema,
  cellularWebhookSchema,
  changeCellularWebhookBody,
  changeWebhookBody,
  createCellularWebhookBody,
  createWebhookBody,
  type ListWebhooks,
  listCellularWebhooksQuery,
  listWebhooksQuery,
  webhookListSchema,
  webhookSchema,
} from './endpoints.schemas.ts';
import type { WebhooksService } from './endpoints.service.ts';

interface CollectionDescription {
  collection: Collection;
  path: string;
  tag: string;
  operationIds: { list: string; create: string; get: string; update: string; delete: string };
  words: { one: string; many: string };
  listRecType: string;
  view(webhook: Webhook): unknown;
  listQuery: Joi.ObjectSchema<ListWebhooks>;
  createBody: Joi.ObjectSchema<CreateWebhook>;
  changeBody: Joi.ObjectSchema<ChangeWebhook>;
  schema: Joi.Schema;
  listSchema: Joi.Schema;
}

const cellular: CollectionDescription = {
  collection: 'cellular',
  path: '/cellular-webhooks',
  tag: 'Cellular measurement webhooks',
  operationIds: {
    list: 'listCellularWebhooks',
    create: 'createCellularWebhook',
    get: 'getCellularWebhook',
    update: 'updateCellularWebhook',
    delete: 'deleteCellularWebhook',
  },
  words: { one: 'a cellular webhook', many: 'cellular webhooks' },
  listRecType: 'cellular-webhook-collection',
  view: cellularWebhookView,
  listQuery: listCellularWebhooksQuery,
  createBody: createCellularWebhookBody,
  changeBody: changeCellularWebhookBody,
  schema: cellularWebhookSchema,
  listSchema: cellularWebhookListSchema,
};

const event: CollectionDescription = {
  collection: 'event',
  path: '/webhooks',
  tag: 'Event webhooks',
  operationIds: {
    list: 'listWebhooks',
    create: 'createWebhook',
    get: 'getWebhook',
    update: 'updateWebhook',
    delete: 'deleteWebhook',
  },
  words: { one: 'an event webhook', many: 'event webhooks' },
  listRecType: 'webhook-collection',
  view: eventWebhookView,
  listQuery: listWebhooksQuery,
  createBody: createWebhookBody,
  changeBody: changeWebhookBody,
  schema: webhookSchema,
  listSchema: webhookListSchema,
};

export interface WebhooksRoutesDeps {
  webhooks: EndpointsRepository;
  service: WebhooksService;
}

export function webhooksRoutes(deps: WebhooksRoutesDeps): Route[] {
  return [...collectionRoutes(cellular, deps), ...collectionRoutes(event, deps)];
}

const auth = 'customer' as const;
const params = idParams('webhookId');

function collectionRoutes(of: CollectionDescription, { webhooks, service }: WebhooksRoutesDeps): Route[] {
  const { collection, tag, words, operationIds, view } = of;
  const itemPath = `${of.path}/{webhookId}`;
  const scopeOf = ({ organizationId }: Caller) => ({ organizationId, collection });
  return [
    route({
      method: 'GET',
      path: of.path,
      operationId: operationIds.list,
      summary: `List ${words.many}, newest last`,
      description: 'All of them in one answer: a collection holds at most 100. Secrets are never shown.',
      tag,
      auth,
      query: of.listQuery,
      responses: { 200: of.listSchema },
      async handle({ caller, query: { status = null, limit = null } }) {
        const found = await webhooks.list(scopeOf(caller), { status, limit });
        return ok({ recType: of.listRecType, items: found.webhooks.map(view), totalItems: found.total });
      },
    }),
    route({
      method: 'POST',
      path: of.path,
      operationId: operationIds.create,
      summary: `Create ${words.one}`,
      description:
        'Events that happen from now on are delivered to it. 409 when the collection holds 100 already.',
      tag,
      auth,
      body: of.createBody,
      responses: { 201: of.schema },
      errors: [409],
      async handle({ caller, body, transact }) {
        const webhook = await service.add(transact, scopeOf(caller), body);
        return created(view(webhook), { Location: `${of.path}/${webhook.id}` });
      },
    }),
    route({
      method: 'GET',
      path: itemPath,
      operationId: operationIds.get,
      summary: `Get ${words.one}`,
      description: 'With its status and, when it is disabled, the reason. The secret is never shown.',
      tag,
      auth,
      params,
      responses: { 200: of.schema },
      errors: [404],
      async handle({ caller, params: { webhookId } }) {
        const webhook = await webhooks.find(scopeOf(caller), webhookId);
        if (!webhook) throw notFound(NO_SUCH_WEBHOOK);
        return ok(view(webhook));
      },
    }),
    route({
      method: 'PATCH',
      path: itemPath,
      operationId: operationIds.update,
      summary: `Change ${words.one}`,
      description: 'What is left out stays.',
      tag,
      auth,
      params,
      body: of.changeBody,
      responses: { 200: of.schema },
      errors: [404],
      async handle({ caller, params: { webhookId }, body, transact }) {
        return ok(view(await service.change(transact, scopeOf(caller), webhookId, body)));
      },
    }),
    route({
      method: 'DELETE',
      path: itemPath,
      operationId: operationIds.delete,
      summary: `Delete ${words.one}`,
      description:
        'What is queued for it is cancelled; a request that is being sent right now may still arrive.',
      tag,
      auth,
      params,
      responses: { 204: null },
      errors: [404],
      async handle({ caller, params: { webhookId }, transact }) {
        await service.remove(transact, scopeOf(caller), webhookId);
        return noContent();
      },
    }),
  ];
}
