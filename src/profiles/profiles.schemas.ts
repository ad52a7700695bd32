/**
 * Schemas of profiles in the API. They describe single fields; rules between fields are in
 * `profile-faults.ts` and, for readers of the API's documentation, in the `docs` of each schema.
 */
import Joi from 'joi';
import { DELAY_MAX_MINUTES, SEVERITIES } from '../devices/alert-terms.ts';
import { TRANSMISSION_MAX_SECONDS, TRANSMISSION_MIN_SECONDS } from '../devices/configuration.ts';
import {
  PROBE_POSITIONS,
  RULE_SLOTS_DEFAULT,
  TEMPERATURE_MAX_C,
  TEMPERATURE_MIN_C,
} from '../devices/device-capabilities.ts';
import { nameAsSent } from '../http/schemas.ts';
import {
  ALERTS_MAX,
  BOUNDS_TYPES,
  type Intervals,
  intervalsFault,
  type ProfileDetailView,
  type ProfileInput,
  type ProfileView,
  RULES_PER_ALERT_MAX,
  type Schedule,
  SLUG_LENGTH_MAX,
  type TemperatureAlert,
  WEEKDAYS,
} from './profile.ts';
import { alertFault, newProfileFault, scheduleFault } from './profile-faults.ts';
import { isTimeZone, TIME_ZONE_LENGTH_MAX } from './time-zone.ts';

/** The fault of an object, with the object's own path in front. */
const without =
  <T>(faultOf: (value: T) => string | null) =>
  (value: T, helpers: Joi.CustomHelpers) => {
    const fault = faultOf(value);
    return fault === null ? value : helpers.message({ custom: `{{#label}}.${fault}` });
  };

const slug = Joi.string()
  .max(SLUG_LENGTH_MAX)
  .pattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .messages({
    'string.pattern.base':
      '{{#label}} must be lower-case letters a to z and digits, with single hyphens between them',
  })
  .description('Identifies the profile in paths.')
  .example('vaccine-fridge');

const name = nameAsSent(128).description('For people.').example('Vaccine fridge 2–8 °C');

const measurementIntervalMinutes = Joi.number()
  .integer()
  .min(1)
  .max(14_400)
  .description('Minutes.')
  .example(5);
const transmissionIntervalSeconds = Joi.number()
  .integer()
  .min(TRANSMISSION_MIN_SECONDS)
  .max(TRANSMISSION_MAX_SECONDS)
  .description('Seconds; at least the measurement interval.')
  .example(14_400);

const intervals = Joi.object<Intervals>({ measurementIntervalMinutes, transmissionIntervalSeconds })
  .min(1)
  .custom(without(intervalsFault))
  .messages({
    'object.min': '{{#label}} must set measurementIntervalMinutes or transmissionIntervalSeconds',
  })
  .description('How often to measure and to send; what is not set stays as it is on the device.')
  .meta({ name: 'Intervals' });

function timeUntil(last: string, pattern: RegExp) {
  const noTime = `{{#label}} must be a time from 00:00 to ${last}, written HH:MM`;
  return Joi.string().pattern(pattern).messages({ 'string.pattern.base': noTime, 'string.empty': noTime });
}
export const timeOfDay = timeUntil('23:59', /^(?:[01]\d|2[0-3]):[0-5]\d$/);
const endOfWindow = timeUntil('24:00', /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/);

const NO_ZONE = '{{#label}} must be the name of an IANA time zone, such as Europe/Stockholm';

export const timezone = Joi.string()
  .max(TIME_ZONE_LENGTH_MAX)
  .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('timezone.unknown')))
  .messages({ 'timezone.unknown': NO_ZONE, 'string.max': NO_ZONE, 'string.empty': NO_ZONE });

const schedule = Joi.object<Schedule>({
  always: Joi.boolean().required(),
  days: Joi.array()
    .items(Joi.string().valid(...WEEKDAYS))
    .min(1)
    .unique()
    .messages({ 'array.min': '{{#label}} must name at least one day' })
    .description('Days on which the window opens.')
    .example(['monday', 'tuesday', 'wednesday', 'thursday', 'friday']),
  from: timeOfDay.description('Local time at which the window opens.').example('08:00'),
  to: endOfWindow
    .description(
      'Local time at which it closes; when earlier than from, on the day after. From 00:00 to 24:00 is the whole day.',
    )
    .example('18:00'),
  timezone: timezone.description('IANA time zone of from, to and days.').example('Europe/Stockholm'),
})
  .custom(without(scheduleFault))
  .description(
    'When the alerts are on. With always false all other fields are required, else none is allowed.',
  )
  .meta({ name: 'Schedule' });

const bound = Joi.number().min(TEMPERATURE_MIN_C).max(TEMPERATURE_MAX_C);
const alertFields = {
  type: Joi.string()
    .valid(...BOUNDS_TYPES)
    .required()
    .description('range has lowC and highC, high only highC, low only lowC.'),
  channel: Joi.string()
    .valid(...PROBE_POSITIONS)
    .required()
    .description('Of a device with one temperature channel both mean that one.'),
  lowC: bound.description('°C; below it is a breach.').example(2),
  highC: bound.description('°C; above it is a breach.').example(8),
  delayMinutes: Joi.number()
    .integer()
    .min(0)
    .max(DELAY_MAX_MINUTES)
    .description(
      'Minutes that a breach lasts, by the times of readings, before the alert opens; left out: 0.',
    )
    .example(30),
  severity: Joi.string()
    .valid(...SEVERITIES)
    .description('Of the alerts that it opens; left out: critical.')
    .example('warning'),
};
const hysteresisC = Joi.number()
  .min(0)
  .max(TEMPERATURE_MAX_C - TEMPERATURE_MIN_C)
  .description(
    '°C back inside the breached bound before it counts as a return: 0, or 0.1 to highC - lowC (one bound: 100).',
  )
  .example(0.5);
const transmitOnBreach = Joi.boolean().description('Send at once when a bound is breached.');
const transmitOnReturn = Joi.boolean().description('Send at once when the temperature is back.');
const alertInput = Joi.object<TemperatureAlert>({
  ...alertFields,
  hysteresisC: hysteresisC.default(0),
  transmitOnBreach: transmitOnBreach.default(true),
  transmitOnReturn: transmitOnReturn.default(true),
})
  .custom(without(alertFault))
  .meta({ name: 'TemperatureAlertInput' });

const alertExample = {
  type: 'range',
  channel: 'probe',
  lowC: 2,
  highC: 8,
  hysteresisC: 0.5,
  transmitOnBreach: true,
  transmitOnReturn: true,
};

const profileFields = {
  slug,
  name,
  temperatureAlerts: Joi.array()
    .items(alertInput)
    .max(ALERTS_MAX)
    .messages({
      'array.max': `{{#label}} must hold at most {{#limit}} alerts: a device has ${RULE_SLOTS_DEFAULT} rule slots and each alert takes ${RULES_PER_ALERT_MAX}`,
    })
    .description('An empty list means none, and takes those of the device away.'),
  schedule,
  intervals,
};

export const createProfileBody = Joi.object<ProfileInput>({
  ...profileFields,
  slug: slug.description('Made from the name when left out.'),
  name: name.description('The slug when left out.'),
})
  .custom((value: ProfileInput, helpers) => {
    const fault = newProfileFault(value);
    return fault === null ? value : helpers.message({ custom: fault });
  })
  .example({
    name: 'Vaccine fridge',
    temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8, hysteresisC: 0.5 }],
    schedule: { always: true },
    intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 14_400 },
  })
  .description('With slug or name, and with at least one of temperatureAlerts, schedule and intervals.')
  .meta({ name: 'CreateProfile' });

export const updateProfileBody = Joi.object<ProfileInput>({
  ...profileFields,
  slug: slug.description('If given, the one in the path.'),
})
  .min(1)
  .messages({
    'object.min': 'at least one of name, temperatureAlerts, schedule and intervals must be given',
  })
  .description('What is left out stays; an array or object replaces the old one whole.')
  .example({ intervals: { transmissionIntervalSeconds: 3_600 } })
  .meta({ name: 'UpdateProfile' });

/** The slug of a profile in a body. */
export const profileSlug = slug;

/** Text that cannot be a slug names no profile. */
export const slugParam = Joi.object<{ slug: string }>({ slug: slug.required() });

const alertViewFields = {
  ...alertFields,
  hysteresisC: hysteresisC.required(),
  transmitOnBreach: transmitOnBreach.required(),
  transmitOnReturn: transmitOnReturn.required(),
};
const alertSchema = Joi.object<TemperatureAlert>(alertViewFields).meta({
  name: 'TemperatureAlert',
});

const enforcedBound = Joi.number().allow(null).required();
const alertDetailSchema = Joi.object({
  ...alertViewFields,
  minC: enforcedBound.description('lowC as the device enforces it, in steps of 0.1 °C.').example(2),
  maxC: enforcedBound.description('highC as the device enforces it, in steps of 0.1 °C.').example(8),
}).meta({ name: 'TemperatureAlertDetail' });

const profileViewFields = {
  slug: slug.required(),
  name: name.required(),
  schedule: schedule.required(),
  temperatureAlerts: Joi.array().items(alertSchema).max(ALERTS_MAX).required(),
};

const profileExample = {
  slug: 'vaccine-fridge',
  name: 'Vaccine fridge',
  schedule: { always: true },
  temperatureAlerts: [alertExample],
};

const profileDetailExample = {
  ...profileExample,
  measurementIntervalMinutes: 5,
  transmissionIntervalSeconds: 14_400,
  temperatureAlerts: [{ ...alertExample, minC: 2, maxC: 8 }],
};

/** The answer of list and get. */
export const profileSchema = Joi.object<ProfileView>(profileViewFields)
  .example(profileExample)
  .meta({ name: 'Profile' });

/** The answer of create and update. */
export const profileDetailSchema = Joi.object<ProfileDetailView>({
  ...profileViewFields,
  temperatureAlerts: Joi.array().items(alertDetailSchema).max(ALERTS_MAX).required(),
  measurementIntervalMinutes: measurementIntervalMinutes.allow(null).required(),
  transmissionIntervalSeconds: transmissionIntervalSeconds.allow(null).required(),
})
  .example(profileDetailExample)
  .meta({ name: 'ProfileDetail' });

export const profileListResponse = Joi.object({
  profiles: Joi.array().items(profileSchema).required(),
}).example({ profiles: [profileExample] });
export const profileResponse = Joi.object({ profile: profileSchema.required() }).example({
  profile: profileExample,
});
export const profileDetailResponse = Joi.object({ profile: profileDetailSchema.required() }).example({
  profile: profileDetailExample,
});
