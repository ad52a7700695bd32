import Joi from 'joi';
import { SEVERITIES } from '../devices/alert-terms.ts';
import { actorSchema, name, nextCursor, paging, textAsSent, time, timestamp, uuid } from '../http/schemas.ts';
import {
  ALERT_STATUSES,
  ALERT_TYPES,
  type AlertFilter,
  type AlertView,
  type ShownEscalation,
} from './alert.ts';
import type { Bounds } from './alert-definition.ts';
import { SNOOZE_HOURS_MAX } from './alert-handling.ts';
import { ALERT_ACTIONS, type AlertActionView } from './alert-history.ts';

interface ListAlerts extends AlertFilter {
  limit: number;
  cursor?: string;
}

export const listAlertsQuery = Joi.object<ListAlerts, true>({
  status: Joi.string().valid(...ALERT_STATUSES),
  type: Joi.string()
    .valid(...ALERT_TYPES)
    .description('Only of this type'),
  severity: Joi.string()
    .valid(...SEVERITIES)
    .description('Only of this severity'),
  late: Joi.boolean().description('Only excursions in late data, or only other alerts'),
  assetId: uuid()
    .description('Only of this asset')
    .messages({ 'string.pattern.base': '{{#label}} must be the id of an asset' }),
  groupId: uuid()
    .description('Only of present members of this group')
    .messages({ 'string.pattern.base': '{{#label}} must be the id of a group' }),
  ...paging,
});

interface AcknowledgeAlert {
  status: 'acknowledged';
  comment?: string;
  assignee?: string | null;
  snoozeUntil?: Date | null;
}

const COMMENT_MAX = 2_000;
const ASSIGNEE_MAX = 128;

export const acknowledgeAlertBody = Joi.object<AcknowledgeAlert>({
  status: Joi.string().valid('acknowledged').required(),
  comment: textAsSent(COMMENT_MAX).description('Added to the history of the alert'),
  assignee: name(ASSIGNEE_MAX).allow(null).description('Who takes care of it; null: nobody'),
  snoozeUntil: time()
    .allow(null)
    .description(
      `When it is new again if it is still open, at most ${SNOOZE_HOURS_MAX} hours ahead; null: it stays acknowledged`,
    ),
}).example({ status: 'acknowledged', comment: 'The door was open: closed now', assignee: 'Ada' });

export const commentAlertBody = Joi.object<{ comment: string }, true>({
  comment: textAsSent(COMMENT_MAX).required(),
}).example({ comment: 'Goods moved to cold room 2' });

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
  severity: 'critical',
  status: 'new',
  details: { channel: 1, value: 8.6, bounds: { lowC: 2, highC: 8, hysteresisC: 0.5 } },
  timestamp: '2026-03-02T08:15:00.000Z',
  updatedAt: '2026-03-02T08:15:30.000Z',
  late: false,
  endedAt: null,
  extreme: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  assignee: null,
  snoozeUntil: null,
  muted: false,
  escalation: { id: '019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f', step: 1, nextStepAt: '2026-03-02T08:25:30.000Z' },
};

const escalationSchema = Joi.object<ShownEscalation>({
  id: Joi.string().required().description('Of the escalation that matched it'),
  step: Joi.number().integer().required().description('How many steps were made'),
  nextStepAt: timestamp().allow(null).required().description('When the next one follows; null: none does'),
});

const alertFields = {
  id: Joi.string().required(),
  recType: Joi.string().valid('alert').required(),
  assetId: Joi.string().required(),
  serialNumber: Joi.string().required().description('Of the hardware that was there when it began'),
  type: Joi.string()
    .valid(...ALERT_TYPES)
    .required(),
  severity: Joi.string()
    .valid(...SEVERITIES)
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
  late: Joi.boolean()
    .required()
    .description('An excursion that late readings showed: it was over when it was recorded'),
  endedAt: timestamp()
    .allow(null)
    .required()
    .description('Of the reading that ended it, or when else it was resolved; null: it is open'),
  extreme: Joi.object({
    value: Joi.number().unsafe().required().description('°C'),
    at: timestamp().required(),
  })
    .allow(null)
    .required()
    .description('The value of a late excursion that is farthest from its bound; null for other alerts'),
  acknowledgedAt: timestamp().allow(null).required().description('null: it is not acknowledged'),
  acknowledgedBy: actorSchema.allow(null).required().description('The key or the person; null: nobody yet'),
  assignee: Joi.string().allow(null).required().description('Who takes care of it; null: not said'),
  snoozeUntil: timestamp().allow(null).required().description('When it is new again if it is still open'),
  muted: Joi.boolean()
    .required()
    .description('Whether the device is under maintenance; of a resolved alert, whether it was at its end'),
  escalation: escalationSchema.allow(null).required().description('null: no escalation matched it'),
};

export const alertSchema = Joi.object<AlertView>(alertFields).example(alertExample).meta({ name: 'Alert' });

const alertActionExample: AlertActionView = {
  at: '2026-03-02T08:20:00.000Z',
  action: 'commented',
  by: { keyId: '019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a', name: 'Night shift' },
  comment: 'The door was open: closed now',
};

export const alertActionSchema = Joi.object<AlertActionView>({
  at: timestamp().required(),
  action: Joi.string()
    .valid(...ALERT_ACTIONS)
    .required(),
  by: actorSchema.allow(null).required().description('null: the service itself'),
  comment: Joi.string()
    .allow(null)
    .required()
    .description(
      'What was said; assigned: to whom, null for nobody; snoozed: until when; escalated: the step and its channels',
    ),
})
  .example(alertActionExample)
  .meta({ name: 'AlertAction' });

export const alertWithHistorySchema = Joi.object({
  ...alertFields,
  history: Joi.array().items(alertActionSchema).required().description('Oldest first'),
})
  .example({
    ...alertExample,
    history: [
      { ...alertActionExample, at: alertExample.updatedAt, action: 'opened', by: null, comment: null },
    ],
  })
  .meta({ name: 'AlertWithHistory' });

export const alertListSchema = Joi.object({
  recType: Joi.string().valid('alert-collection').required(),
  items: Joi.array().items(alertSchema).required(),
  totalItems: Joi.number()
    .integer()
    .required()
    .description('All that match, on all pages. 100000 means 100000 or more.'),
  nextCursor: nextCursor(),
}).example({ recType: 'alert-collection', items: [alertExample], totalItems: 1, nextCursor: null });
