import Joi from 'joi';
import { atMost, time, timestamp } from '../http/schemas.ts';
import type { ReportBody } from './config-report.ts';
import {
  CALENDARS_MAX,
  type Calendar,
  CONFIGURATION_KEYS,
  type DeviceConfiguration,
  MEASUREMENT_PERIOD_MAX,
  RAW_PARAMETERS_MAX,
  RULE_ACTIONS,
  RULE_DELAY_MAX_SECONDS,
  RULE_SAMPLES_MAX,
  type ThresholdRule,
  TRANSMISSION_MAX_SECONDS,
  TRANSMISSION_MIN_SECONDS,
  UTC_OFFSET_MAX_MINUTES,
  UTC_OFFSET_STEP_MINUTES,
} from './configuration.ts';
import {
  CHANNELS_MAX,
  PROBE_POSITIONS,
  RULE_SLOTS_MAX,
  TEMPERATURE_MAX_C,
  TEMPERATURE_MIN_C,
} from './device-capabilities.ts';
import { SYNC_STATUSES } from './device-sync.ts';
import { isSerialNumber, SERIAL_NUMBER } from './serial-number.ts';

const MASK_BITS = 32;

/** A channel in answers. */
export const channelFields = {
  channel: Joi.number().integer().required(),
  position: Joi.string()
    .valid(...PROBE_POSITIONS)
    .allow(null)
    .required(),
  type: Joi.string().required(),
};

const integer = (min: number, max: number) => Joi.number().integer().min(min).max(max);
const positions = (count: number) =>
  Joi.array()
    .items(integer(0, count - 1))
    .unique()
    .required()
    .description('Counted from 0');
const empty = Joi.array()
  .max(0)
  .meta({ docs: { items: { type: 'integer' } } });
const int32 = integer(-2_147_483_648, 2_147_483_647);
const parameters = Joi.array().items(int32).max(RAW_PARAMETERS_MAX).required();
const action = Joi.string()
  .valid(...RULE_ACTIONS)
  .required();

const ofConditions = (...conditions: string[]) =>
  Joi.string()
    .valid(...conditions)
    .required()
    .messages({
      'any.only': '{{#label}} must be HIGH_THRESHOLD, LOW_THRESHOLD, LOGIC_OPERATOR, OTHER or DISABLED',
    });

const thresholdRule = Joi.object({
  condition: ofConditions('HIGH_THRESHOLD', 'LOW_THRESHOLD'),
  slotNumbers: positions(CHANNELS_MAX),
  alarmRuleType: Joi.string().valid('TEMPERATURE').required(),
  threshold: Joi.number().min(TEMPERATURE_MIN_C).max(TEMPERATURE_MAX_C).required().description('°C'),
  hysteresis: Joi.number()
    .min(0)
    .max(TEMPERATURE_MAX_C - TEMPERATURE_MIN_C)
    .required()
    .description('°C; 0 = off'),
  mode: Joi.string().valid('CONSECUTIVE_SAMPLES').required(),
  samples: integer(1, RULE_SAMPLES_MAX).required(),
  action,
});

const logicRule = Joi.object({
  condition: ofConditions('LOGIC_OPERATOR'),
  operator: Joi.string().valid('AND', 'OR').required(),
  rules: positions(RULE_SLOTS_MAX),
  negatedRules: positions(RULE_SLOTS_MAX),
  delaySeconds: integer(0, RULE_DELAY_MAX_SECONDS).required(),
  returnDelaySeconds: integer(0, RULE_DELAY_MAX_SECONDS)
    .allow(null)
    .required()
    .description('null = no action on return'),
  action,
});

const disabledRule = Joi.object({
  condition: ofConditions('DISABLED'),
  slotNumbers: empty.required(),
  action: Joi.string().valid('NO_ACTION').required(),
});

const otherRule = Joi.object({
  condition: ofConditions('OTHER').description(
    'Set on the device by somebody else, and shown as the device has it',
  ),
  slotNumbers: positions(MASK_BITS),
  conditionCode: int32.required(),
  parameters,
  actionCode: int32.required(),
});

/**
 * biome-ignore-start lint/suspicious/noThenProperty: `then` is Joi's keyword for a branch, nothing is awaited
 */
const alarmRule = Joi.alternatives().conditional('.condition', {
  switch: [
    { is: Joi.valid('HIGH_THRESHOLD', 'LOW_THRESHOLD').required(), then: thresholdRule },
    { is: Joi.valid('LOGIC_OPERATOR').required(), then: logicRule },
    { is: Joi.valid('OTHER').required(), then: otherRule },
  ],
  otherwise: disabledRule,
});

const ofTypes = (type: Calendar['type']) =>
  Joi.string().valid(type).required().messages({ 'any.only': '{{#label}} must be WEEK, OTHER or DISABLED' });

const weekCalendar = Joi.object({
  type: ofTypes('WEEK'),
  enableRules: positions(RULE_SLOTS_MAX),
  days: Joi.array().items(integer(0, 6)).unique().required().description('0 = Sunday'),
  fromTime: integer(0, 1439).required().description('Minutes after midnight'),
  toTime: integer(0, 1440)
    .required()
    .description(
      'Minutes after midnight; before fromTime = two windows of the same day, until toTime and from fromTime',
    ),
  timezone: integer(-UTC_OFFSET_MAX_MINUTES, UTC_OFFSET_MAX_MINUTES)
    .multiple(UTC_OFFSET_STEP_MINUTES)
    .required()
    .description('Minutes from UTC'),
});

const disabledCalendar = Joi.object({
  type: ofTypes('DISABLED'),
  enableRules: empty.required(),
});

const otherCalendar = Joi.object({
  type: ofTypes('OTHER').description('Set on the device by somebody else, and shown as the device has it'),
  enableRules: positions(MASK_BITS),
  typeCode: int32.required(),
  parameters,
});

const calendar = Joi.alternatives().conditional('.type', {
  switch: [
    { is: Joi.valid('WEEK').required(), then: weekCalendar },
    { is: Joi.valid('OTHER').required(), then: otherCalendar },
  ],
  otherwise: disabledCalendar,
});
/* biome-ignore-end lint/suspicious/noThenProperty: see above */

const configurationFields = {
  measurementPeriodBase: integer(1, MEASUREMENT_PERIOD_MAX).description(
    'Seconds; the measurement interval is base × factor',
  ),
  measurementPeriodFactor: integer(1, MEASUREMENT_PERIOD_MAX),
  transmissionInterval: integer(TRANSMISSION_MIN_SECONDS, TRANSMISSION_MAX_SECONDS).description('Seconds'),
  alarmRules: Joi.array().items(alarmRule).max(RULE_SLOTS_MAX).description('Position = rule number'),
  calendars: Joi.array().items(calendar).max(CALENDARS_MAX),
};

/** A device that measures every 5 minutes, transmits every 6 hours and keeps channel 1 between 2 and 8 °C. */
export const configurationExample: DeviceConfiguration = {
  measurementPeriodBase: 300,
  measurementPeriodFactor: 1,
  transmissionInterval: 21_600,
  alarmRules: [exampleRule('HIGH_THRESHOLD', 8), exampleRule('LOW_THRESHOLD', 2)],
  calendars: [],
};

function exampleRule(condition: ThresholdRule['condition'], threshold: number): ThresholdRule {
  return {
    condition,
    slotNumbers: [0],
    alarmRuleType: 'TEMPERATURE',
    threshold,
    hysteresis: 0.5,
    mode: 'CONSECUTIVE_SAMPLES',
    samples: 1,
    action: 'TRIGGER_TRANSMISSION',
  };
}

export const configurationSchema = Joi.object<DeviceConfiguration>(configurationFields)
  .example(configurationExample)
  .meta({ name: 'DeviceConfiguration' });

const syncStatus = Joi.string()
  .valid(...SYNC_STATUSES)
  .required()
  .description(
    'pending: not fetched yet; sent: fetched, not confirmed; failed: the device refused; drifted: it reports something else than it confirmed last',
  );

export const deviceConfigSchema = Joi.object({
  serialNumber: Joi.string().required(),
  assetId: Joi.string().required(),
  assetName: Joi.string().required(),
  pendingConfig: configurationSchema.allow(null).required(),
  deviceConfig: configurationSchema.allow(null).required(),
  deviceConfigReceivedAt: timestamp().allow(null).required(),
  syncStatus,
  unconfirmedKeys: Joi.array()
    .items(Joi.string().valid(...CONFIGURATION_KEYS))
    .description(
      'Settings of the applied change that no report of the device has named; left out when there are none',
    ),
})
  .example({
    serialNumber: '282C02424EED',
    assetId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
    assetName: 'Vaccine fridge 2',
    pendingConfig: { transmissionInterval: 3_600 },
    deviceConfig: configurationExample,
    deviceConfigReceivedAt: '2026-03-02T08:15:30.000Z',
    syncStatus: 'pending',
  })
  .meta({ name: 'DeviceConfigurationRecord' });

const SERIAL_EXAMPLE = '282C02424EED';
const SERIAL_FORM = 'must be 1 to 64 letters, digits or . _ : - and begin with a letter or digit';
const SERIAL_NOT_KEY = 'must be a serial number, not an API key or device token';

export const serialNumber = () =>
  Joi.string()
    .pattern(SERIAL_NUMBER)
    .custom((value: string, helpers) => (isSerialNumber(value) ? value : helpers.error('serial.key')))
    .example(SERIAL_EXAMPLE)
    .messages({
      'string.pattern.base': `{{#label}} ${SERIAL_FORM}`,
      'serial.key': `{{#label}} ${SERIAL_NOT_KEY}`,
    });

/** A plain function checks thousands of serial numbers, because Joi takes some microseconds per item. */
export const serialNumbers = (max: number) =>
  Joi.array()
    .min(1)
    .max(max)
    .custom((sent: unknown[], helpers) => {
      const index = sent.findIndex((each) => typeof each !== 'string' || !isSerialNumber(each));
      if (index < 0) return sent;
      const fault = serialFault(sent[index]);
      return helpers.message({ custom: '{{#label}}[{{#index}}] {{#fault}}' }, { index, fault });
    })
    .meta({
      docs: {
        items: { type: 'string', minLength: 1, pattern: SERIAL_NUMBER.source, examples: [SERIAL_EXAMPLE] },
      },
    });

function serialFault(value: unknown): string {
  if (typeof value !== 'string') return 'must be a string';
  return SERIAL_NUMBER.test(value) ? SERIAL_NOT_KEY : SERIAL_FORM;
}

/** Text that is no serial number is answered like an unknown one. */
export const serialParams = Joi.object<{ serial: string }>({
  serial: Joi.string()
    .pattern(SERIAL_NUMBER)
    .custom((text: string, helpers) => (isSerialNumber(text) ? text : helpers.error('any.invalid')))
    .required(),
});

const offeredChangeExample = { revision: 3, config: { transmissionInterval: 3_600 } };

export const offeredChangeSchema = Joi.object({
  revision: Joi.number().integer().required().description('Grows with every change of what is pending'),
  config: configurationSchema.required(),
})
  .example(offeredChangeExample)
  .meta({ name: 'OfferedChange' });

export const configReportBody = Joi.object<ReportBody>({
  ...configurationFields,
  measurementPeriodBase: configurationFields.measurementPeriodBase.required(),
  measurementPeriodFactor: configurationFields.measurementPeriodFactor.required(),
  transmissionInterval: configurationFields.transmissionInterval.required(),
  configHash: integer(0, 4_294_967_295).description("The device's own number for its configuration"),
  errors: Joi.array()
    .items(
      Joi.object({
        code: integer(0, 4_294_967_295),
        message: atMost(200).required(),
      }),
    )
    .max(20)
    .description('What the device could not take; newer than its fetch, they fail the change'),
  reportedAt: time().description(
    'When the device made the report; without it, or where its clock is off, the arrival counts',
  ),
})
  .example({ ...configurationExample, configHash: 2_748_219 })
  .meta({ name: 'ConfigReport' });

export const exchangeResultSchema = Joi.object({
  syncStatus,
  pendingConfig: offeredChangeSchema
    .allow(null)
    .required()
    .description('What the device has to apply; handing it out counts as fetched'),
}).example({ syncStatus: 'sent', pendingConfig: offeredChangeExample });
