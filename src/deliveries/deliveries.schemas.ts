import Joi from 'joi';
import { secretInput } from '../endpoints/endpoints.schemas.ts';
import { cursor, limit, nextCursor, time, timestamp, uuid } from '../http/schemas.ts';
import { DELIVERY_STATES, type DeliveryState } from './delivery.ts';

export const webhookParams = Joi.object<{ webhookId: string }>({ webhookId: uuid().required() });
export const deliveryParams = Joi.object<{ webhookId: string; deliveryId: string }>({
  webhookId: uuid().required(),
  deliveryId: uuid().required(),
});

export const listDeliveriesQuery = Joi.object<
  { state?: DeliveryState; limit: number; cursor?: string },
  true
>({
  state: Joi.string().valid(...DELIVERY_STATES),
  limit: limit(50),
  cursor: cursor(),
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
};

export const deliverySchema = Joi.object(deliveryFields).meta({ name: 'Delivery' });

export const deliveryListSchema = Joi.object({
  items: Joi.array().items(deliverySchema).required(),
  nextCursor: nextCursor(),
});

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
    .required(),
}).meta({ name: 'DeliveryDetail' });

const REPLAYABLE = ['failed', 'blocked', 'delivered', 'cancelled'] as const;

export interface ReplayBody {
  since: Date;
  until?: Date;
  states: string[];
}

export const replayBody = Joi.object<ReplayBody>({
  since: time().required(),
  until: time().description('Default: now'),
  states: Joi.array()
    .items(Joi.string().valid(...REPLAYABLE))
    .min(1)
    .unique()
    .default(['failed', 'blocked']),
});

export const replayedSchema = Joi.object({ queued: Joi.number().integer().required() });

export const testedSchema = Joi.object({
  delivered: Joi.boolean().required(),
  statusCode: Joi.number().integer().allow(null).required(),
  durationMs: Joi.number().integer().required(),
  error: Joi.string().allow(null).required(),
});

export const rotateBody = Joi.object<{ secret?: string }>({ secret: secretInput });

export const rotatedSchema = Joi.object({
  secret: Joi.string().description('Only when it was made here, and only this once'),
  previousValidUntil: timestamp().allow(null).required().description('Until then the old secret signs along'),
});
