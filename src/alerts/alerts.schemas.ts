import Joi from 'joi';
import { cursor, limit, nextCursor, timestamp, uuid } from '../http/schemas.ts';
import { ALERT_STATUSES, ALERT_TYPES, type AlertStatus } from './alert.ts';

export interface ListAlerts {
  status?: AlertStatus;
  assetId?: string;
  limit: number;
  cursor?: string;
}

export const listAlertsQuery = Joi.object<ListAlerts, true>({
  status: Joi.string().valid(...ALERT_STATUSES),
  assetId: uuid()
    .description('Only of this asset')
    .messages({ 'string.pattern.base': '{{#label}} must be the id of an asset' }),
  limit: limit(50),
  cursor: cursor(),
});

export const acknowledgeAlertBody = Joi.object<{ status: 'acknowledged' }, true>({
  status: Joi.string().valid('acknowledged').required(),
});

const bound = () => Joi.number().allow(null).required();

export const alertSchema = Joi.object({
  id: Joi.string().required(),
  recType: Joi.string().valid('alert').required(),
  assetId: Joi.string().required(),
  serialNumber: Joi.string().required().description('Of the hardware that was there when it began'),
  type: Joi.string()
    .valid(...ALERT_TYPES)
    .required(),
  status: Joi.string()
    .valid(...ALERT_STATUSES)
    .required(),
  details: Joi.object({
    channel: Joi.number().integer(),
    value: Joi.number().description('°C, of the reading that began it'),
    bounds: Joi.object({ lowC: bound(), highC: bound(), hysteresisC: Joi.number().required() }),
    expectedBy: timestamp().description('no_data: when the device should have been heard at the latest'),
  }).required(),
  timestamp: timestamp().required().description('When it began'),
  updatedAt: timestamp().required(),
}).meta({ name: 'Alert' });

export const alertListSchema = Joi.object({
  recType: Joi.string().valid('alert-collection').required(),
  items: Joi.array().items(alertSchema).required(),
  totalItems: Joi.number().integer().required().description('All that match, on all pages'),
  nextCursor: nextCursor(),
});
