/**
 * Every type of event, with the schema of its data and the collections of webhooks that can receive it. The
 * subscriptions of webhooks, the `webhooks` section of OpenAPI and the checks of tests are derived from this
 * list. It compiles only if it describes exactly the types that the slices declare (src/db/domain-event.ts),
 * with the same data.
 */
import type Joi from 'joi';
import { alertExample, alertSchema } from '../alerts/alerts.schemas.ts';
import { assetExample, assetSchema } from '../assets/assets.schemas.ts';
import { jobExample, jobSchema } from '../config-jobs/config-jobs.schemas.ts';
import type { EventType, EventTypes } from '../db/domain-event.ts';
import { configurationExample } from '../devices/devices.schemas.ts';
import type { Collection } from './event.ts';
import {
  breachData,
  configAppliedData,
  configFailedData,
  disabledEndpointData,
  frameData,
  noteData,
  notificationData,
  overdueFleetData,
} from './event-payloads.schemas.ts';

interface EventDefinition<Collections, Data, Example = Data> {
  collections: Collections;
  summary: string;
  description: string;
  data: Joi.ObjectSchema<Data>;
  example: Example;
}

/** Infers the type of the data from its schema. */
const event = <const Collections extends readonly Collection[], Data>(
  definition: EventDefinition<Collections, Data, NoInfer<Data>>,
): EventDefinition<Collections, Data> => definition;

const device = { serialNumber: assetExample.serialNumber, assetId: assetExample.id };
const frame = {
  ...device,
  assetName: assetExample.name,
  batteryStatus: assetExample.batteryStatus,
  signalStrength: assetExample.signalStrength,
  nextTransmissionAt: '2026-03-02T14:15:30.000Z',
};
const change = { ...device, profileSlug: jobExample.profileSlug, jobId: jobExample.id };
const breach = { lowC: 2, highC: 8, hysteresisC: 0.5 };
const reading = { channel: 1, type: 'temperature', unit: '°C', measuredAt: '2026-03-02T08:15:00.000Z' };

export const EVENT_CATALOGUE = {
  'data.measurement': event({
    collections: ['cellular'],
    summary: 'A device sent new readings',
    description: 'Readings that the service has stored before are left out.',
    data: frameData,
    example: { ...frame, readings: [{ ...reading, value: 4.2 }] },
  }),
  'data.measurement.alert': event({
    collections: ['event'],
    summary: 'A device sent readings that breach the bounds of an alert',
    description:
      'One for each alert that the frame has a reading in breach for, at most 20, of the latest breaches. Readings that are late do not count.',
    data: breachData,
    example: {
      ...frame,
      alertId: alertExample.id,
      bounds: breach,
      readings: [{ ...reading, value: 8.6 }],
    },
  }),
  'alert.created': event({
    collections: ['event'],
    summary: 'An alert was opened',
    description:
      'By a reading out of bounds, at the time of the reading, or by a missed contact, at the time it was expected.',
    data: alertSchema,
    example: alertExample,
  }),
  'alert.acknowledged': event({
    collections: ['event'],
    summary: 'Somebody has taken an alert in hand',
    description: 'Once for each acknowledgement: again when it was snoozed and has become new since.',
    data: alertSchema,
    example: {
      ...alertExample,
      status: 'acknowledged',
      updatedAt: '2026-03-02T08:20:00.000Z',
      acknowledgedAt: '2026-03-02T08:20:00.000Z',
      acknowledgedBy: { keyId: '019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a', name: 'Night shift' },
    },
  }),
  'alert.resolved': event({
    collections: ['event'],
    summary: 'An alert was resolved',
    description:
      'By a reading back within bounds, by the return of the device, by other rules on the device, or by archiving it.',
    data: alertSchema,
    example: { ...alertExample, status: 'resolved', updatedAt: '2026-03-02T09:00:00.000Z' },
  }),
  'config.applied': event({
    collections: ['cellular', 'event'],
    summary: 'A device confirmed a change of its configuration',
    description:
      'One for each job that the confirmation settled. Cellular webhooks receive it with deliverConfigApplied.',
    data: configAppliedData,
    example: { ...change, deviceConfig: configurationExample, appliedAt: '2026-03-02T08:15:30.000Z' },
  }),
  'config.failed': event({
    collections: ['event'],
    summary: 'A device refused a change of its configuration',
    description: 'One for each job that the refusal settled.',
    data: configFailedData,
    example: {
      ...change,
      deviceConfig: configurationExample,
      reason: 'no such rule',
      failedAt: '2026-03-02T08:15:30.000Z',
    },
  }),
  'config.job.finished': event({
    collections: ['event'],
    summary: 'A configuration job ended',
    description: 'Whatever its outcome: the status of the job says which.',
    data: jobSchema,
    example: jobExample,
  }),
  'device.offline': event({
    collections: ['event'],
    summary: 'A device missed its expected contact',
    description: 'Sent once, when the service finds out; an alert of type no_data is opened with it.',
    data: assetSchema,
    example: { ...assetExample, status: 'offline' },
  }),
  'device.online': event({
    collections: ['event'],
    summary: 'A device that was offline is back',
    description: 'Sent with the first contact after device.offline.',
    data: assetSchema,
    example: assetExample,
  }),
  'fleet.silent': event({
    collections: ['event'],
    summary: 'Many devices missed their expected contact at once',
    description:
      'More than a tenth of all active devices, and more than twenty. Sent once, instead of device.offline and alert.created for each of them; the alerts are in the list. Those that are still overdue in the end have their own events then.',
    data: overdueFleetData,
    example: { silent: 42, total: 180, since: '2026-03-02T08:15:30.000Z' },
  }),
  'webhook.disabled': event({
    collections: ['event'],
    summary: 'A webhook was disabled because deliveries to it fail',
    description:
      'Sent to the other webhooks of the organization. What was queued for the disabled one is held until it is enabled.',
    data: disabledEndpointData,
    example: {
      id: '019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35',
      recType: 'webhook',
      name: 'example.com',
      url: 'https://example.com/hooks/alerts',
      status: 'disabled',
      reason: 'gone',
      backlog: 3,
    },
  }),
  notification: event({
    collections: [],
    summary: 'People are notified of alerts',
    description:
      'Sent to notification channels of type webhook, one for all alerts that opened, are still open or are over since the one before, and for excursions in late data. At most 20 are in alerts; counts is of all. Steps of escalations are messages of their own.',
    data: notificationData,
    example: {
      text: 'New alerts:\n- Cold room (282C02424EED): too warm, 8.6 °C on probe (channel 1), above 8 °C, since 2026-03-02 08:15 UTC',
      counts: { opened: 1, reminder: 0, resolved: 0, late: 0 },
      alerts: [{ change: 'opened', assetName: assetExample.name, alert: alertExample }],
    },
  }),
  'webhook.test': event({
    collections: [],
    summary: 'A test of this endpoint was requested',
    description: 'Sent once by the test operations, to that endpoint alone, also when it is disabled.',
    data: noteData,
    example: { note: 'A test, asked for through the API' },
  }),
} satisfies { [Type in EventType]: EventDefinition<readonly Collection[], EventTypes[Type]> };

type Catalogue = typeof EVENT_CATALOGUE;

/** Types that endpoints subscribe to; all others are sent on request. */
export type PublishedType = {
  [Type in EventType]: Catalogue[Type]['collections'][number] extends never ? never : Type;
}[EventType];

/** Types that an event webhook may name. */
export type SubscribableType = {
  [Type in EventType]: 'event' extends Catalogue[Type]['collections'][number] ? Type : never;
}[EventType];

/** The types that endpoints of a collection may receive. */
export const typesIn = (collection: Collection): EventType[] =>
  (Object.keys(EVENT_CATALOGUE) as EventType[]).filter((type) =>
    (EVENT_CATALOGUE[type].collections as readonly Collection[]).includes(collection),
  );

/** The types that an event webhook may name. */
export const SUBSCRIBABLE_TYPES = typesIn('event') as SubscribableType[];
