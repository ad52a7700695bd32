/**
 * Schemas of data that occurs only in events. Events about an asset, an alert or a job carry it as the API
 * shows it.
 */
import Joi from 'joi';
import type { AlertView } from '../alerts/alert.ts';
import type { BreachData } from '../alerts/alert-events.ts';
import { alertSchema, boundsSchema } from '../alerts/alerts.schemas.ts';
import type { EventTypes } from '../db/domain-event.ts';
import type { ConfigAppliedData, ConfigFailedData } from '../devices/device-exchange.ts';
import { BATTERY_STATUSES, SIGNAL_STRENGTHS } from '../devices/device-status.ts';
import { configurationSchema } from '../devices/devices.schemas.ts';
import { timestamp } from '../http/schemas.ts';
import type { FrameData, ReadingData } from '../measurements/measurement-events.ts';
import type { OverdueFleetData } from '../presence/overdue-fleet.ts';

const serialNumber = Joi.string().required().description('As it was registered');
const assetId = Joi.string().required();

const readingData = Joi.object<ReadingData>({
  channel: Joi.number().integer().required(),
  type: Joi.string()
    .required()
    .description('temperature, humidity, …; type_<number> when it has no name here'),
  value: Joi.number().unsafe().allow(null).required().description('In its unit; null when the sensor failed'),
  unit: Joi.string().allow('').required(),
  measuredAt: timestamp().required(),
  error: Joi.number().integer().description('The error code of the sensor, when there is no value'),
});

const frameFields = {
  serialNumber,
  assetId,
  assetName: Joi.string().required(),
  batteryStatus: Joi.string()
    .valid(...BATTERY_STATUSES)
    .required(),
  signalStrength: Joi.string()
    .valid(...SIGNAL_STRENGTHS)
    .required(),
  nextTransmissionAt: timestamp()
    .allow(null)
    .required()
    .description('When the device intends to transmit next; null when it did not say'),
  readings: Joi.array()
    .items(readingData)
    .min(1)
    .required()
    .description('The readings that were new, in the order sent; a large frame is split into several events'),
};

export const frameData = Joi.object<FrameData>(frameFields);

export const breachData = Joi.object<BreachData>({
  ...frameFields,
  alertId: Joi.string().required(),
  bounds: boundsSchema.required().description('The bounds of the alert, of which a reading is out of one'),
});

const configFields = {
  serialNumber,
  assetId,
  profileSlug: Joi.string().allow(null).required().description('The profile of the job; null without a job'),
  jobId: Joi.string()
    .allow(null)
    .required()
    .description('The job that this settled; null when no job was waiting for the device'),
  deviceConfig: configurationSchema
    .allow(null)
    .required()
    .description('What the device runs, as it reported last; null when it has never reported'),
};

export const configAppliedData = Joi.object<ConfigAppliedData>({
  ...configFields,
  appliedAt: timestamp().required(),
});

export const configFailedData = Joi.object<ConfigFailedData>({
  ...configFields,
  reason: Joi.string().required().description('What the device could not accept, in its own words'),
  failedAt: timestamp().required(),
});

export const disabledEndpointData = Joi.object<EventTypes['webhook.disabled']>({
  id: Joi.string().required(),
  recType: Joi.string().valid('webhook', 'cellular-webhook').required(),
  name: Joi.string().required(),
  url: Joi.string().required(),
  status: Joi.string().valid('disabled').required(),
  reason: Joi.string()
    .valid('failing', 'gone')
    .required()
    .description('failing: nothing got through for days; gone: it answered 410'),
  backlog: Joi.number()
    .integer()
    .required()
    .description('Deliveries that are held; 10000 means 10000 or more'),
});

export const overdueFleetData = Joi.object<OverdueFleetData>({
  silent: Joi.number().integer().required().description('Devices that missed their contact'),
  total: Joi.number().integer().required().description('Active devices of the organization'),
  since: timestamp().required().description('The first contact that was missed'),
});

export const noteData = Joi.object<{ note: string }>({ note: Joi.string().required() });

interface NotificationData {
  text: string;
  counts: { opened: number; reminder: number; resolved: number; late: number; escalated?: number };
  alerts: Array<{
    change: 'opened' | 'reminder' | 'resolved' | 'late' | 'escalated';
    assetName: string;
    alert: AlertView;
  }>;
}

const count = () => Joi.number().integer().required();

export const notificationData = Joi.object<NotificationData>({
  text: Joi.string().required().description('For people: what an e-mail says'),
  counts: Joi.object({
    opened: count(),
    reminder: count(),
    resolved: count(),
    late: count(),
    escalated: Joi.number().integer().description('In the step of an escalation alone'),
  }).required(),
  alerts: Joi.array()
    .items(
      Joi.object({
        change: Joi.string()
          .valid('opened', 'reminder', 'resolved', 'late', 'escalated')
          .required()
          .description('reminder: it is still open; late: an excursion in late data, which is over'),
        assetName: Joi.string().required(),
        alert: alertSchema.required(),
      }),
    )
    .required(),
});
