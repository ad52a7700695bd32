/**
 * The `webhooks` section of OpenAPI 3.1: the request for each type of event, and the meaning of the
 * receiver's answer.
 */
import Joi from 'joi';
import type { JsonSchema } from '../http/json-schema.ts';
import type { SchemaOf } from '../http/openapi.ts';
import { timestamp } from '../http/schemas.ts';

export interface WebhookEvent {
  summary: string;
  description: string;
  data: Joi.Schema;
  example: object;
}

export const EVENTS_TAG = {
  name: 'Events',
  description:
    'What webhooks receive: a POST of `{type, timestamp, data}` for each event, signed as Standard Webhooks 1.0.0 says. Every event is delivered at least once and in no particular order; sort by `timestamp`, and drop repeats by `webhook-id`.',
};

const TIMESTAMP = '2026-03-02T08:15:30.000Z';

/** Headers that the sender adds to every request. */
const HEADERS: Record<string, JsonSchema> = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same on every attempt and at every endpoint.',
    schema: { type: 'string', format: 'uuid' },
    example: '019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description:
      'The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1772439330',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: false,
    description:
      'Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

/** How the sender interprets an answer. */
const RESPONSES: Record<string, JsonSchema> = {
  '2XX': { description: 'Delivered. The body is ignored.' },
  '410': { description: 'Not delivered, and the endpoint is disabled: no event is sent to it any more.' },
  default: {
    description:
      'Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered.',
  },
};

/** Parts of the document, for events by type. */
export const webhookRequests = (events: Record<string, WebhookEvent>) => ({
  parameters: HEADERS,
  webhooks: (schemaOf: SchemaOf): Record<string, JsonSchema> =>
    Object.fromEntries(
      Object.entries(events).map(([type, event]) => [type, { post: operation(type, event, schemaOf) }]),
    ),
});

function operation(
  type: string,
  { summary, description, data, example }: WebhookEvent,
  schemaOf: SchemaOf,
): JsonSchema {
  const envelope = Joi.object({
    type: Joi.string().valid(type).required(),
    timestamp: timestamp().required().description('When it happened, to the millisecond, in UTC'),
    data: data.required(),
  });
  return {
    operationId: operationIdOf(type),
    summary,
    description,
    tags: [EVENTS_TAG.name],
    security: [],
    parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaOf(envelope),
          example: { type, timestamp: TIMESTAMP, data: example },
        },
      },
    },
    responses: RESPONSES,
  };
}

/** `alert.created` → `onAlertCreated`. */
const operationIdOf = (type: string) =>
  ['on', ...type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
