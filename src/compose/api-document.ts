/**
 * The OpenAPI document of the service: its routes, its events, and the parts that belong to no single slice.
 */
import { EVENT_CATALOGUE } from '../events/event-catalogue.schemas.ts';
import { EVENTS_TAG, webhookRequests } from '../events/webhook-requests.schemas.ts';
import type { JsonSchema } from '../http/json-schema.ts';
import { openApi } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { API_INFO } from '../process/version.ts';

/** In the order of the documentation. */
const TAGS = [
  {
    name: 'Configuration profiles',
    description:
      'Alerts, a schedule and intervals under one name. A profile changes no device until it is applied; applying it starts a configuration job.',
  },
  {
    name: 'Configuration jobs',
    description:
      'One apply of a profile to many devices. A job goes on by itself until every device has confirmed or refused the change, or the deadline has passed.',
  },
  {
    name: 'Device configuration',
    description: 'What a device runs by its own report, and the change that it has yet to confirm.',
  },
  {
    name: 'For devices',
    description:
      'What loggers that speak HTTP do, with a device token: report their configuration, fetch what is pending, and send readings. Customer keys do not work here.',
  },
  {
    name: 'Assets',
    description:
      'The registry of devices. An asset is the place that is measured: its logger can be replaced, its history and its id stay.',
  },
  {
    name: 'Groups',
    description:
      'Sets of devices. A group may name the profile that its members are to run: new members get it by themselves, and who leaves loses what has not been confirmed of it.',
  },
  {
    name: 'Alerts',
    description:
      'Opened by readings out of bounds and by missed contacts, resolved when the readings or the device are back.',
  },
  {
    name: 'Cellular measurement webhooks',
    description:
      'Endpoints that receive the new readings of every device, and on request every confirmed change of configuration.',
  },
  {
    name: 'Event webhooks',
    description: 'Endpoints that receive the types of events that they name.',
  },
  {
    name: 'Notification channels',
    description:
      'Where people are notified of alerts: by e-mail, in Slack, or through a webhook of what they use. One message tells of all alerts that opened or ended meanwhile.',
  },
  {
    name: 'Escalations',
    description: 'Who is notified of an alert step by step, until somebody acknowledges it or it is over.',
  },
  {
    name: 'Keys',
    description: 'The API keys of the organization, for keys with the role admin.',
  },
  {
    name: 'Audit',
    description: 'Who changed what: one entry for every change.',
  },
];

export const apiDocument = (routes: Route[]): JsonSchema =>
  openApi({ routes, ...webhookRequests(EVENT_CATALOGUE), tags: [...TAGS, EVENTS_TAG], info: API_INFO });
