import Joi from 'joi';
import { SUBSCRIBABLE_TYPES } from '../events/event-catalogue.schemas.ts';
import { atLeast, atMost, limit, nameAsSent, timestamp } from '../http/schemas.ts';
import {
  type ChangeEndpoint,
  type CreateEndpoint,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
  ENDPOINTS_MAX,
  type EndpointStatus,
  LAST_STATUSES,
  NAME_LENGTH_MAX,
} from './endpoint.ts';
import { SECRET_LENGTH_MAX, SECRET_LENGTH_MIN, secretFault } from './endpoint-secret.ts';
import { URL_LENGTH_MAX } from './endpoint-url.ts';
import { HEALTH_STATES } from './shown-health.ts';

const url = atMost(URL_LENGTH_MAX)
  .description('Absolute http or https URL, without credentials or fragment, of a public host.')
  .example('https://example.com/hooks/loggers');
/** Stored as sent, with letters beyond ASCII, so responses do not promise a URI in the strict sense. */
const urlInput = url.meta({ docs: { format: 'uri' } });
const name = nameAsSent(NAME_LENGTH_MAX).description('For people.').example('Production');
const status = Joi.string()
  .valid(...ENDPOINT_STATUSES)
  .description('Only active endpoints are delivered to.');
const deliverConfigApplied = Joi.boolean().description('Deliver config.applied as well.');
const events = Joi.array()
  .items(Joi.string().valid(...SUBSCRIBABLE_TYPES))
  .min(1)
  .unique()
  .messages({ 'array.min': '{{#label}} must name at least one kind of event' })
  .description('The kinds of events to deliver.')
  .example(['data.measurement.alert', 'alert.created']);
const secret = atLeast(SECRET_LENGTH_MIN, atMost(SECRET_LENGTH_MAX))
  .custom((value: string, helpers) => {
    const fault = secretFault(value);
    return fault === null ? value : helpers.message({ custom: `{{#label}} ${fault}` });
  })
  .description('Signs deliveries: whsec_ and base64, or any other text. Never shown again.')
  .example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  .meta({ docs: { writeOnly: true } });

export const secretInput = secret;

const creates = {
  status: status.description('Default: active'),
  secret,
};
const changes = {
  url: urlInput,
  status,
  secret: secret.allow(null).description('null takes it away, and deliveries are no longer signed.'),
};

const atLeastOne = (schema: Joi.ObjectSchema<ChangeEndpoint>, fields: string) =>
  schema.min(1).messages({ 'object.min': `at least one of ${fields} must be given` });

export const createCellularWebhookBody = Joi.object<CreateEndpoint>({
  url: urlInput.required(),
  name: name.description('Default: the host of the URL'),
  deliverConfigApplied: deliverConfigApplied
    .default(false)
    .description('Deliver config.applied as well. Default: false'),
  ...creates,
})
  .example({ url: 'https://example.com/hooks/loggers', name: 'Production', deliverConfigApplied: true })
  .meta({ name: 'CreateCellularWebhook' });

export const createWebhookBody = Joi.object<CreateEndpoint>({
  url: urlInput.required(),
  events: events.default([...SUBSCRIBABLE_TYPES]).description('Default: all kinds'),
  ...creates,
})
  .example({
    url: 'https://example.com/hooks/alerts',
    events: ['alert.created', 'alert.resolved'],
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  .meta({ name: 'CreateWebhook' });

export const changeCellularWebhookBody = atLeastOne(
  Joi.object<ChangeEndpoint>({ ...changes, name, deliverConfigApplied }),
  'url, name, status, deliverConfigApplied and secret',
)
  .example({ deliverConfigApplied: false })
  .meta({ name: 'ChangeCellularWebhook' });

export const changeWebhookBody = atLeastOne(
  Joi.object<ChangeEndpoint>({ ...changes, events }),
  'url, secret, status and events',
)
  .example({ status: 'active' })
  .meta({ name: 'ChangeWebhook' });

export interface ListEndpoints {
  status?: EndpointStatus;
  limit?: number;
}

const listQuery = { status: status.description('Only endpoints of this status') };
export const listCellularWebhooksQuery = Joi.object<ListEndpoints>(listQuery);
export const listWebhooksQuery = Joi.object<ListEndpoints>({
  ...listQuery,
  limit: limit(ENDPOINTS_MAX).description('At most this many items; there are never more than 100'),
});

const id = Joi.string().required();
const disabledReason = Joi.string()
  .valid(...DISABLED_REASONS)
  .allow(null)
  .required()
  .description(
    'null while active. customer: through this API; failing: nothing got through for days; gone: it answered 410',
  );
const times = { createdAt: timestamp().required(), updatedAt: timestamp().required() };

const deliverySchema = Joi.object({
  lastDeliveredAt: timestamp().allow(null).required(),
  lastAttemptAt: timestamp().allow(null).required(),
  lastStatus: Joi.string()
    .valid(...LAST_STATUSES)
    .allow(null)
    .required(),
  lastStatusCode: Joi.number().integer().allow(null).required(),
  lastError: Joi.string().allow(null).required(),
}).description('How the last attempt went; all null before the first one.');

const healthSchema = Joi.object({
  state: Joi.string()
    .valid(...HEALTH_STATES)
    .required()
    .description(
      'failing: the latest attempts failed; recovering: the backlog is sent at a growing pace; disabled: nothing is sent',
    ),
  since: timestamp().allow(null).required().description('null while healthy'),
  backlog: Joi.number()
    .integer()
    .required()
    .description('Deliveries that wait, held ones too; 10000 means 10000 or more'),
  oldestPendingAt: timestamp().allow(null).required().description('When the oldest of them was queued'),
  nextAttemptAt: timestamp().allow(null).required().description('null when none is planned'),
}).description('How deliveries to the endpoint are going.');

const outcome = { delivery: deliverySchema.required(), health: healthSchema.required() };
const healthExample = {
  state: 'healthy',
  since: null,
  backlog: 0,
  oldestPendingAt: null,
  nextAttemptAt: null,
};
const lastDeliveryExample = {
  lastDeliveredAt: '2026-03-02T08:15:30.000Z',
  lastAttemptAt: '2026-03-02T08:15:30.000Z',
  lastStatus: 'delivered',
  lastStatusCode: 204,
  lastError: null,
};

const cellularWebhookExample = {
  id: '019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94',
  recType: 'cellular-webhook',
  name: 'Production',
  url: 'https://example.com/hooks/loggers',
  status: 'active',
  disabledReason: null,
  deliverConfigApplied: true,
  createdAt: '2026-02-20T13:05:12.000Z',
  updatedAt: '2026-02-20T13:05:12.000Z',
  delivery: lastDeliveryExample,
  health: healthExample,
};

export const cellularWebhookSchema = Joi.object({
  id,
  recType: Joi.string().valid('cellular-webhook').required(),
  name: name.required(),
  url: url.required(),
  status: status.required(),
  disabledReason,
  deliverConfigApplied: deliverConfigApplied.required(),
  ...times,
  ...outcome,
})
  .example(cellularWebhookExample)
  .meta({ name: 'CellularWebhook' });

const webhookExample = {
  id: '019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35',
  recType: 'webhook',
  url: 'https://example.com/hooks/alerts',
  status: 'active',
  disabledReason: null,
  events: ['alert.created', 'alert.resolved'],
  createdAt: '2026-02-20T13:05:12.000Z',
  updatedAt: '2026-02-20T13:05:12.000Z',
  delivery: lastDeliveryExample,
  health: healthExample,
};

export const webhookSchema = Joi.object({
  id,
  recType: Joi.string().valid('webhook').required(),
  url: url.required(),
  status: status.required(),
  disabledReason,
  events: events.required(),
  ...times,
  ...outcome,
})
  .example(webhookExample)
  .meta({ name: 'Webhook' });

const listOf = (recType: string, item: Joi.Schema, example: object) =>
  Joi.object({
    recType: Joi.string().valid(recType).required(),
    items: Joi.array().items(item).required().description('Newest last'),
    totalItems: Joi.number().integer().required().description('All that match'),
  }).example({ recType, items: [example], totalItems: 1 });

export const cellularWebhookListSchema = listOf(
  'cellular-webhook-collection',
  cellularWebhookSchema,
  cellularWebhookExample,
);
export const webhookListSchema = listOf('webhook-collection', webhookSchema, webhookExample);
