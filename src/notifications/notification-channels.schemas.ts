import Joi from 'joi';
import { ALERT_TYPES } from '../alerts/alert.ts';
import { SECRET_LENGTH_MAX, SECRET_LENGTH_MIN } from '../endpoints/endpoint-secret.ts';
import { URL_LENGTH_MAX } from '../endpoints/endpoint-url.ts';
import { secretInput } from '../endpoints/endpoints.schemas.ts';
import { atMost, name as nameOf, pageSchema, timestamp, uuid } from '../http/schemas.ts';
import { timeOfDay, timezone } from '../profiles/profiles.schemas.ts';
import {
  CHANNEL_STATUSES,
  CHANNEL_TYPES,
  type ChangeChannel,
  type CreateChannel,
  GROUPS_MAX,
  MINUTES_MAX,
  NAME_MAX,
  SHOWN_STATUSES,
} from './notification-channel.ts';
import type { QuietHours } from './quiet-hours.ts';

const quietHours = Joi.object<QuietHours>({
  from: timeOfDay.required().description('Local time.').example('22:00'),
  to: timeOfDay
    .required()
    .invalid(Joi.ref('from'))
    .messages({ 'any.invalid': '{{#label}} must differ from from' })
    .description('When earlier than from, on the day after.')
    .example('07:00'),
  timezone: timezone.required().example('Europe/Stockholm'),
})
  .allow(null)
  .description(
    'Nothing but steps of escalations is sent between these times. What they held is sent when they end, if the alert is still open. null: none.',
  );

const type = Joi.string()
  .valid(...CHANNEL_TYPES)
  .description('email, slack (or what understands the same JSON with text), webhook.');
const name = nameOf(NAME_MAX)
  .allow(null)
  .description('Shown in place of the target. null: none. Several channels may share a name.')
  .example('Grace, on call');
const target = atMost(URL_LENGTH_MAX)
  .description('An e-mail address, or an absolute http or https URL of a public host, as for webhooks.')
  .example('https://example.com/hooks/notifications');
export const alertTypes = Joi.array()
  .items(Joi.string().valid(...ALERT_TYPES))
  .min(1)
  .unique()
  .messages({ 'array.min': '{{#label}} must name at least one type of alert' })
  .description('The types of alerts to notify of.')
  .example(['high_temp', 'low_temp']);
export const groupIds = Joi.array()
  .items(uuid())
  .max(GROUPS_MAX)
  .unique()
  .messages({ 'string.pattern.base': '{{#label}} must be the id of a group' })
  .description(
    'Only alerts of assets in these groups; empty: of all assets. One that is deleted later matches nothing.',
  );
const minutes = (min: number) => Joi.number().integer().min(min).max(MINUTES_MAX);
const delayMinutes = minutes(0).description('Notify only of alerts that are still open after so long.');
const reminderMinutes = minutes(1)
  .allow(null)
  .description(
    'While an alert is open and not acknowledged, notify of it again each time so long has passed. null: once.',
  );
const status = Joi.string()
  .valid(...CHANNEL_STATUSES)
  .description('Only active channels are sent to. Disabling one drops what it has not sent.');
const secret = secretInput.description(
  `Signs messages of type webhook, with ${SECRET_LENGTH_MIN} to ${SECRET_LENGTH_MAX} characters: whsec_ and base64, or any other text. Never shown again.`,
);

const rules = { alertTypes, groupIds, delayMinutes, reminderMinutes, quietHours, status };

export const createChannelBody = Joi.object<CreateChannel>({
  type: type.required(),
  target: target.required(),
  name,
  ...rules,
  alertTypes: alertTypes.description('The types of alerts to notify of. Default: all'),
  groupIds: groupIds.description('Only alerts of assets in these groups. Default: of all assets'),
  delayMinutes: delayMinutes.description('Notify only of alerts still open after so long. Default: 0'),
  status: status.description('Default: active'),
  secret,
})
  .example({
    type: 'webhook',
    target: 'https://example.com/hooks/notifications',
    name: 'Grace, on call',
    alertTypes: ['high_temp', 'low_temp'],
    delayMinutes: 10,
    reminderMinutes: 120,
    quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Stockholm' },
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  .meta({ name: 'CreateNotificationChannel' });

export const changeChannelBody = Joi.object<ChangeChannel>({
  name,
  target,
  ...rules,
  secret: secret.allow(null).description('null takes it away, and messages are no longer signed.'),
})
  .min(1)
  .messages({ 'object.min': 'at least one field of the channel must be given' })
  .example({ delayMinutes: 5 })
  .meta({ name: 'ChangeNotificationChannel' });

const channelExample = {
  id: '019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48',
  recType: 'notification-channel',
  type: 'email',
  name: 'Quality',
  target: 'quality@example.com',
  alertTypes: ['high_temp', 'low_temp'],
  groupIds: [],
  delayMinutes: 10,
  reminderMinutes: 120,
  quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Stockholm' },
  status: 'active',
  lastSentAt: '2026-03-02T08:25:31.000Z',
  lastError: null,
  createdAt: '2026-02-20T13:05:12.000Z',
  updatedAt: '2026-02-20T13:05:12.000Z',
};

export const channelSchema = Joi.object({
  id: Joi.string().required(),
  recType: Joi.string().valid('notification-channel').required(),
  type: type.required(),
  name: name.required(),
  target: target.required().description('Of Slack its host alone: the rest is a secret.'),
  alertTypes: alertTypes.required(),
  groupIds: groupIds.required(),
  delayMinutes: delayMinutes.required(),
  reminderMinutes: reminderMinutes.required(),
  quietHours: quietHours.required(),
  status: Joi.string()
    .valid(...SHOWN_STATUSES)
    .required()
    .description(
      'unconfirmed: an e-mail address whose owner has not yet pressed the button behind the link that was sent there.',
    ),
  lastSentAt: timestamp().allow(null).required().description('When a message was last sent.'),
  lastError: Joi.string().allow(null).required().description('Why the latest attempt failed, if it did.'),
  createdAt: timestamp().required(),
  updatedAt: timestamp().required(),
})
  .example(channelExample)
  .meta({ name: 'NotificationChannel' });

export const channelListSchema = pageSchema(channelSchema, channelExample, 'Newest first');
