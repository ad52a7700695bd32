import Joi from 'joi';
import { SEVERITIES } from '../devices/alert-terms.ts';
import { SETTINGS_SOURCES } from '../devices/settings.ts';
import { cursor, inOrder, limit, nextCursor, rangeTime, timestamp } from '../http/schemas.ts';

interface ListSettings {
  from?: Date;
  to?: Date;
  limit: number;
  cursor?: string;
}

export const listSettingsQuery = Joi.object<ListSettings, true>({
  from: rangeTime().description('Settings that were in force at this time or later'),
  to: rangeTime().description('Settings that were in force before this time'),
  limit: limit(50),
  cursor: cursor(Joi.string().pattern(/^\d{1,14}$/)),
}).custom(inOrder);

const seconds = () => Joi.number().integer().allow(null).required();
const celsius = () => Joi.number().unsafe().allow(null).required();

const window = Joi.object({
  days: Joi.array().items(Joi.string()).required(),
  from: Joi.string().required(),
  to: Joi.string().required().description('Where it is before from, the window is until then and from from'),
  utcOffsetMinutes: Joi.number().integer().required(),
});

const settings = Joi.object({
  from: timestamp().required(),
  to: timestamp().allow(null).required().description('Not included; null: these settings are in force'),
  measurementPeriodSeconds: seconds().description('Between two readings; null: unknown'),
  transmissionIntervalSeconds: seconds().description('Between two transmissions; null: unknown'),
  alerts: Joi.array()
    .items(
      Joi.object({
        channel: Joi.number().integer().required(),
        type: Joi.string().valid('range', 'high', 'low').required(),
        lowC: celsius().description('°C; null where there is none'),
        highC: celsius().description('°C; null where there is none'),
        hysteresisC: Joi.number().unsafe().required(),
        severity: Joi.string()
          .valid(...SEVERITIES)
          .required(),
        schedule: Joi.object({
          always: Joi.boolean().required(),
          windows: Joi.array().items(window).description('Unless always'),
        }).required(),
      }),
    )
    .required()
    .description('The bounds by which the service evaluated readings'),
  profileSlug: Joi.string()
    .allow(null)
    .required()
    .description('The profile that was applied last; null where no profile brought these settings'),
  source: Joi.string()
    .valid(...SETTINGS_SOURCES)
    .required()
    .description(
      'report: the device reported them; confirmed: it confirmed a change; frame: a frame showed another period of measurement; applied: they were applied to a device that had not reported yet',
    ),
});

const example = {
  from: '2026-03-02T08:15:30.000Z',
  to: null,
  measurementPeriodSeconds: 300,
  transmissionIntervalSeconds: 3_600,
  alerts: [
    {
      channel: 1,
      type: 'range',
      lowC: 2,
      highC: 8,
      hysteresisC: 0.5,
      severity: 'critical',
      schedule: { always: true },
    },
  ],
  profileSlug: 'vaccine-fridge',
  source: 'confirmed',
};

export const settingsListSchema = Joi.object({
  items: Joi.array()
    .items(settings.example(example).meta({ name: 'SettingsInForce' }))
    .required(),
  nextCursor: nextCursor(),
}).example({ items: [example], nextCursor: null });
