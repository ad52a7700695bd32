import Joi from 'joi';
import { cursor, limit, nextCursor, timestamp, uuid } from '../http/schemas.ts';
import { ALERT_STATUSES, ALERT_TYPES, type AlertStatus, type AlertType, type AlertView } from './alert.ts';
import type { Bounds } from './alert-definition.ts';

export interface ListAlerts {
  status?: AlertStatus;
  type?: AlertType;
  assetId?: string;
  limit: number;
  cursor?: string;
}

export const listAlertsQuery = Joi.object<ListAlerts, true>({
  status: Joi.string().valid(...ALERT_STATUSES),
  type: Joi.string()
    .valid(...ALERT_TYPES)
    .description('Only of this type'),
  assetId: uuid()
    .description('Only of this asset')
    .messages({ 'string.pattern.base': '{{#label}} must be the id of an asset' }),
  limit: limit(50),
  cursor: cursor(),
});

export const acknowledgeAlertBody = Joi.object<{ status: 'acknowledged' }, true>({
  status: Joi.string().valid('acknowledged').required(),
}).example({ status: 'acknowledged' });

const bound = () => Joi.number().allow(null).required().description('°C; null when there is no such bound');

export const boundsSchema = Joi.object<Bounds>({
  lowC: bound(),
  highC: bound(),
  hysteresisC: Joi.number().required(),
});

export const alertExample: AlertView = {
  id: '019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f',
  recType: 'alert',
  assetId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
  serialNumber: '282C02424EED',
  type: 'high_temp',
  status: 'new',
  details: { channel: 1, value: 8.6, bounds: { lowC: 2, highC: 8, hysteresisC: 0.5 } },
  timestamp: '2026-03-02T08:15:00.000Z',
  updatedAt: '2026-03-02T08:15:30.000Z',
};

export const alertSchema = Joi.object<AlertView>({
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
    channel: Joi.number().integer().description('high_temp, low_temp, sensor_error'),
    value: Joi.number().unsafe().description('°C, of the reading that began it'),
    bounds: boundsSchema,
    resolution: Joi.string()
      .valid('outside_schedule')
      .description('high_temp, low_temp: ended by a reading outside of its schedule; absent otherwise'),
    error: Joi.number().integer().description('sensor_error: the error code of the sensor'),
    expectedBy: timestamp().description('no_data: when the device should have made contact at the latest'),
  }).required(),
  timestamp: timestamp().required().description('When it began'),
  updatedAt: timestamp().required(),
})
  .example(alertExample)
  .meta({ name: 'Alert' });

export const alertListSchema = Joi.object({
  recType: Joi.string().valid('alert-collection').required(),
  items: Joi.array().items(alertSchema).required(),
  totalItems: Joi.number().integer().required().description('All that match, on all pages'),
  nextCursor: nextCursor(),
}).example({ recType: 'alert-collection', items: [alertExample], totalItems: 1, nextCursor: null });
