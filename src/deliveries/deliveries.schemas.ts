import Joi from 'joi';
import { secretInput } from '../endpoints/endpoints.schemas.ts';
import type { Collection } from '../events/event.ts';
import { typesIn } from '../events/event-catalogue.schemas.ts';
import { idParams, type PageQuery, pageSchema, paging, time, timestamp, uuid } from '../http/schemas.ts';
import { DELIVERY_STATES, type DeliveryState, type Replay } from './delivery.ts';

export const webhookParams = idParams('webhookId');
export const deliveryParams = Joi.object<{ webhookId: string; deliveryId: string }>({
  webhookId: uuid().required(),
  deliveryId: uuid().required(),
});

interface ListDeliveries extends PageQuery {
  state?: DeliveryState;
  eventType?: string;
}

export const listDeliveriesQuery = (collection: Collection) =>
  Joi.object<ListDeliveries, true>({
    state: Joi.string().valid(...DELIVERY_STATES),
    eventType: Joi.string()
      .valid(...typesIn(collection))
      .description('Only deliveries of events of this type'),
    ...paging,
  });

const deliveryFields = {
  id: Joi.string().required(),
  eventId: Joi.string().required().description('The webhook-id header, the same on every attempt'),
  eventType: Joi.string().required(),
  state: Joi.string()
    .valid(...DELIVERY_STATES)
    .required(),
  attemptCount: Joi.number().integer().required(),
  nextAttemptAt: timestamp().allow(null).required(),
  lastStatusCode: Joi.number().integer().allow(null).required(),
  lastError: Joi.string().allow(null).required(),
  createdAt: timestamp().required().description('When the event was queued'),
  lastAttemptAt: timestamp().allow(null).required(),
  deliveredAt: timestamp()
    .allow(null)
    .required()
    .description('When the attempt that succeeded was made; null in any other state than delivered'),
  serialNumber: Joi.string()
    .allow(null)
    .required()
    .description('Of the device that the event is about, if it is about one'),
  reason: Joi.string()
    .allow(null)
    .required()
    .description('Why it is not delivered; null when it is, or is about to be sent'),
};

const deliveryExample = {
  id: '019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d',
  eventId: '019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90',
  eventType: 'alert.created',
  state: 'delivered',
  attemptCount: 2,
  nextAttemptAt: null,
  lastStatusCode: 204,
  lastError: null,
  createdAt: '2026-03-02T08:15:30.000Z',
  lastAttemptAt: '2026-03-02T08:15:35.000Z',
  deliveredAt: '2026-03-02T08:15:35.000Z',
  serialNumber: '282C02424EED',
  reason: null,
};

export const deliverySchema = Joi.object(deliveryFields).example(deliveryExample).meta({ name: 'Delivery' });

export const deliveryListSchema = pageSchema(deliverySchema, deliveryExample);

export const deliveryDetailSchema = Joi.object({
  ...deliveryFields,
  payload: Joi.object().unknown().required().description('What is sent, as JSON'),
  attempts: Joi.array()
    .items(
      Joi.object({
        number: Joi.number().integer().required(),
        at: timestamp().required(),
        durationMs: Joi.number().integer().required(),
        statusCode: Joi.number().integer().allow(null).required(),
        error: Joi.string().allow(null).required(),
        responseExcerpt: Joi.string()
          .allow(null, '')
          .required()
          .description('Escaped, at most 1 KiB of the answer'),
      }),
    )
    .required()
    .description('The newest 100, oldest first'),
})
  .example({
    ...deliveryExample,
    payload: { type: 'alert.created', timestamp: '2026-03-02T08:15:00.000Z', data: {} },
    attempts: [
      {
        number: 1,
        at: '2026-03-02T08:15:30.000Z',
        durationMs: 41,
        statusCode: 500,
        error: 'the receiver answered 500',
        responseExcerpt: '',
      },
      {
        number: 2,
        at: '2026-03-02T08:15:35.000Z',
        durationMs: 38,
        statusCode: 204,
        error: null,
        responseExcerpt: '',
      },
    ],
  })
  .meta({ name: 'DeliveryDetail' });

const REPLAYABLE = ['failed', 'blocked', 'delivered', 'cancelled'] as const;

export const replayBody = Joi.object<Replay>({
  since: time().required(),
  until: time().description('Default: now'),
  states: Joi.array()
    .items(Joi.string().valid(...REPLAYABLE))
    .min(1)
    .unique()
    .default(['failed', 'blocked']),
}).example({ since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' });

export const replayedSchema = Joi.object({ queued: Joi.number().integer().required() }).example({
  queued: 17,
});

export const testedSchema = Joi.object({
  delivered: Joi.boolean().required(),
  statusCode: Joi.number().integer().allow(null).required(),
  durationMs: Joi.number().integer().required(),
  error: Joi.string().allow(null).required(),
}).example({ delivered: true, statusCode: 204, durationMs: 38, error: null });

export const rotateBody = Joi.object<{ secret?: string }>({ secret: secretInput }).example({});

export const rotatedSchema = Joi.object({
  secret: Joi.string().description('Only when it was made here, and only this once'),
  previousValidUntil: timestamp().allow(null).required().description('Until then the old secret signs along'),
}).example({
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  previousValidUntil: '2026-03-03T08:15:30.000Z',
});
