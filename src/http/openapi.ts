/** OpenAPI 3.1 from lists of routes and webhooks. A schema with `.meta({ name })` becomes a named component. */
import type Joi from 'joi';
import type { ReadOnlyPaths } from './app.ts';
import { describeSchema } from './describe-schema.ts';
import { type JsonSchema, jsonSchema, withoutDefaults } from './json-schema.ts';
import { withOpenAnswers } from './open-answers.ts';
import { errorComponents, errorResponses } from './openapi-errors.ts';
import { type ResponseContract, type Route, takesIdempotencyKey } from './route.ts';

interface OpenApiInfo {
  title: string;
  version: string;
  description: string;
  license: { name: string; identifier: string };
  contact: { name: string };
}

interface DocumentedApi {
  routes: Route[];
  /** Requests that the service sends, and their parameters by name. */
  webhooks(schemaOf: SchemaOf): Record<string, JsonSchema>;
  parameters: Record<string, JsonSchema>;
  tags: Array<{ name: string; description: string }>;
  info: OpenApiInfo;
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export type SchemaOf = (schema: Joi.Schema) => JsonSchema;

export function openApi({ routes, webhooks, parameters, tags, info }: DocumentedApi): JsonSchema {
  const components: Record<string, JsonSchema> = {};
  const schemaOf = (schema: Joi.Schema) => jsonSchema(schema, components);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const definition of routes) {
    const operations = paths[definition.path] ?? {};
    paths[definition.path] = operations;
    operations[definition.method.toLowerCase()] = operation(definition, schemaOf);
  }
  const errorResponsesByName = errorComponents(schemaOf);
  return withOpenAnswers({
    openapi: '3.1.0',
    info,
    servers: [{ url: 'http://127.0.0.1:8080', description: 'Where npm start serves; yours is elsewhere' }],
    tags,
    paths,
    webhooks: webhooks(schemaOf),
    components: {
      schemas: sortedByKey(components),
      parameters,
      responses: errorResponsesByName,
      securitySchemes: {
        customerKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'API key of an organization (dms_live_…)',
        },
        deviceKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Device token of an organization or of one device (dev_…)',
        },
      },
    },
  });
}

function operation(definition: Route, schemaOf: SchemaOf): JsonSchema {
  const { operationId, summary, description, tag, auth } = definition;
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: [{ [`${auth}Key`]: [] }],
    parameters: [
      ...parametersIn('path', definition.params, schemaOf),
      ...parametersIn('query', definition.query, schemaOf),
      ...(takesIdempotencyKey(definition) ? [idempotencyHeader] : []),
    ],
    ...requestBody(definition, schemaOf),
    responses: responses(definition, schemaOf),
  };
}

function parametersIn(
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

function requestBody({ body, rawBody }: Route, schemaIn: SchemaOf): JsonSchema {
  const schemaOf: SchemaOf = (schema) => withoutDefaults(schemaIn(schema));
  if (rawBody) {
    const { contentType, example, json } = rawBody;
    const content = { [contentType]: bytes(example), ...(json && jsonContent(json, schemaOf)) };
    return { requestBody: { required: true, content } };
  }
  if (!body) return {};
  return { requestBody: { required: true, content: jsonContent(body, schemaOf) } };
}

function responses(definition: Route, schemaOf: SchemaOf): JsonSchema {
  const out: Record<string, JsonSchema> = {};
  for (const [status, contract] of Object.entries(definition.responses)) {
    out[status] =
      contract === null
        ? { description: 'Done; no body' }
        : { description: 'Done', content: responseContent(contract, definition, schemaOf) };
  }
  if (definition.conditional) out[304] = { description: 'Not changed since the ETag that was sent' };
  return { ...out, ...errorResponses(definition) };
}

function responseContent(
  contract: NonNullable<ResponseContract>,
  { alternative }: Route,
  schemaOf: SchemaOf,
): JsonSchema {
  const content =
    'contentType' in contract
      ? { [contract.contentType]: bytes(contract.example) }
      : jsonContent(contract, schemaOf);
  return { ...content, ...(alternative && { [alternative.contentType]: bytes(alternative.example) }) };
}

/** The example stands beside the schema, where most tools look for it. */
function jsonContent(schema: Joi.Schema, schemaOf: SchemaOf): JsonSchema {
  const [example] = describeSchema(schema).examples ?? [];
  return { 'application/json': { schema: schemaOf(schema), ...(example !== undefined && { example }) } };
}

/** Text has an example, a file has none. */
const bytes = (example: string | undefined): JsonSchema =>
  example === undefined
    ? { schema: { type: 'string', format: 'binary' } }
    : { schema: { type: 'string' }, example };

const sortedByKey = (record: Record<string, JsonSchema>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Serves `/openapi.json`. The document is built on the first request, because that takes longer than the rest of a start. */
export function createOpenApiPath(makeDocument: () => JsonSchema): ReadOnlyPaths {
  /** Bytes, so that any number of answers that wait for slow clients share them. */
  let json: Buffer | undefined;
  return {
    has: (path) => path === '/openapi.json',
    async handle(ctx) {
      ctx.type = 'application/json';
      json ??= Buffer.from(JSON.stringify(makeDocument()));
      ctx.body = json;
    },
  };
}
