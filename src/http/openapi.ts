/** OpenAPI 3.1 from lists of routes and events. A schema with `.meta({ name })` becomes a named component. */
import Joi from 'joi';
import { type JsonSchema, jsonSchema } from './json-schema.ts';
import { EVENTS_TAG, type WebhookEvent, webhookParameters, webhooks } from './openapi-webhooks.ts';
import { neededRole, type Route, takesIdempotencyKey } from './route.ts';

export interface OpenApiInfo {
  title: string;
  version: string;
  description: string;
  license: { name: string; identifier: string };
  contact: { name: string };
}

export interface DocumentedApi {
  routes: Route[];
  /** By type. */
  events: Record<string, WebhookEvent>;
  /** Those of the routes. */
  tags: Array<{ name: string; description: string }>;
  info: OpenApiInfo;
}

const errorSchema = Joi.object({
  success: Joi.boolean().valid(false).required(),
  message: Joi.string().required().description('Says what is wrong and what would be right.'),
})
  .example({ success: false, message: 'serialNumber is required' })
  .meta({ name: 'Error' });

const ERROR_TEXT: Record<number, string> = {
  304: 'Not changed since the ETag that was sent',
  400: 'Invalid: the message names the field and says what would be right',
  401: 'Invalid or inactive API key',
  403: 'The role of the API key does not include this operation',
  404: "Unknown, or another organization's",
  409: 'Conflicts with what is there',
  413: 'Body too large',
  415: 'Wrong Content-Type',
  422: 'Idempotency-Key was used with another request',
  429: 'Too many requests; see Retry-After',
  500: 'Our fault',
  503: 'Unavailable at present; see Retry-After',
};

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export function openApi({ routes, events, tags, info }: DocumentedApi): JsonSchema {
  const components: Record<string, JsonSchema> = {};
  const schemaOf = (schema: Joi.Schema) => jsonSchema(schema, components);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const definition of routes) {
    const operations = paths[definition.path] ?? {};
    paths[definition.path] = operations;
    operations[definition.method.toLowerCase()] = operation(definition, schemaOf);
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: [...tags, EVENTS_TAG],
    paths,
    webhooks: webhooks(events, schemaOf),
    components: {
      schemas: sortedByKey(components),
      parameters: webhookParameters,
      securitySchemes: {
        customerKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'API key of an organization (dms_live_…)',
        },
        deviceKey: { type: 'http', scheme: 'bearer', description: 'Device token of an organization (dev_…)' },
      },
    },
  };
}

type SchemaOf = (schema: Joi.Schema) => JsonSchema;

function operation(definition: Route, schemaOf: SchemaOf): JsonSchema {
  const { operationId, summary, description, tag, auth } = definition;
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: [{ [`${auth}Key`]: [] }],
    parameters: [
      ...parameters('path', definition.params, schemaOf),
      ...parameters('query', definition.query, schemaOf),
      ...(takesIdempotencyKey(definition) ? [idempotencyHeader] : []),
    ],
    ...requestBody(definition, schemaOf),
    responses: responses(definition, schemaOf),
  };
}

function parameters(
  location: 'path' | 'query',
  schema: Joi.Schema | undefined,
  schemaOf: SchemaOf,
): JsonSchema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, deprecated, ...rest } = property;
    return {
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      ...(deprecated === true && { deprecated: true }),
      schema: rest,
    };
  });
}

function requestBody({ body, rawBody }: Route, schemaOf: SchemaOf): JsonSchema {
  if (rawBody) {
    const { contentType, example, json } = rawBody;
    const schema = example === undefined ? { type: 'string', format: 'binary' } : { type: 'string' };
    return {
      requestBody: {
        required: true,
        content: {
          [contentType]: { schema, ...(example !== undefined && { example }) },
          ...(json && { 'application/json': { schema: schemaOf(json) } }),
        },
      },
    };
  }
  if (!body) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } } };
}

function responses(definition: Route, schemaOf: SchemaOf): JsonSchema {
  const out: Record<string, JsonSchema> = {};
  for (const [status, contract] of Object.entries(definition.responses)) {
    if (contract === null) out[status] = { description: 'Done; no body' };
    else if ('contentType' in contract) {
      out[status] = {
        description: 'Done',
        content: {
          [contract.contentType]: { schema: { type: 'string', format: 'binary' } },
          ...streamed(definition),
        },
      };
    } else
      out[status] = {
        description: 'Done',
        content: {
          'application/json': { schema: schemaOf(contract as Joi.Schema) },
          ...streamed(definition),
        },
      };
  }
  if (definition.conditional) out[304] = { description: ERROR_TEXT[304] };
  for (const status of errorStatuses(definition)) {
    out[status] = {
      description: ERROR_TEXT[status],
      content: { 'application/json': { schema: schemaOf(errorSchema) } },
    };
  }
  return out;
}

const streamed = ({ alternative }: Route): JsonSchema =>
  alternative ? { [alternative.contentType]: { schema: { type: 'string' } } } : {};

export function errorStatuses(definition: Route): number[] {
  const takesBody = definition.rawBody !== undefined || definition.method !== 'GET';
  const statuses = [400, 401, 429, 500, 503, ...(definition.errors ?? [])];
  if (takesBody) statuses.push(413, 415);
  const role = neededRole(definition);
  if (role !== null && role !== 'read') statuses.push(403);
  if (takesIdempotencyKey(definition)) statuses.push(409, 422);
  return [...new Set(statuses)].sort((a, b) => a - b);
}

const sortedByKey = (record: Record<string, JsonSchema>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
