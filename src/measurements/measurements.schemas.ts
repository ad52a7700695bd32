import Joi from 'joi';
import { CHANNELS_MAX, PROBE_POSITIONS, TEMPERATURE } from '../devices/device-capabilities.ts';
import { channelFields, offeredChangeSchema } from '../devices/devices.schemas.ts';
import { MEASUREMENT_TYPES } from '../devices/measurement-type.ts';
import type { StoredReading } from '../devices/reading.ts';
import { cursor, inOrder, limit, nextCursor, rangeTime, time, timestamp } from '../http/schemas.ts';
import { RESOLUTIONS, type Resolution } from './buckets.ts';
import { CSV, NDJSON } from './export.ts';
import { type FrameBody, parseReading, ReadingFault } from './frame-body.ts';
import { CSV_HEADER, csvLine, readingView } from './history.ts';

const READINGS_MAX = 1_000;

/** Examples of a reading in each media type, for the documentation. */
const reading: StoredReading = {
  channel: 1,
  type: TEMPERATURE,
  value: 4.2,
  error: null,
  measuredAt: new Date('2026-03-02T08:15:00.000Z'),
  receivedAt: new Date('2026-03-02T08:15:30.000Z'),
  late: false,
  periodSeconds: 300,
};
const layout = { channelTypes: [TEMPERATURE], model: null };
const scope = {
  organizationId: '019cb0a4-0a6e-7c91-b2d5-8e3f1a7c4d60',
  assetId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
  serialNumber: '282C02424EED',
  layout,
};

const measurementExample = readingView(reading, layout);
export const measurementsCsvExample = CSV_HEADER + csvLine(reading, layout);
export const exportNdjsonExample = NDJSON.toLine(scope, reading);
export const exportCsvExample = CSV.header + CSV.toLine(scope, reading);

/** For the documentation only; `parseReading` validates. */
const READING_DOCS = {
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['channel', 'type', 'value', 'measuredAt'],
    properties: {
      channel: {
        anyOf: [
          { type: 'integer', minimum: 1, maximum: CHANNELS_MAX },
          { type: 'string', enum: PROBE_POSITIONS },
        ],
        description: 'A position stands for the temperature channel that the device has there',
      },
      type: { type: 'string', enum: MEASUREMENT_TYPES.map(({ name }) => name) },
      value: { type: 'number', description: 'In the unit of the type, within its range' },
      measuredAt: {
        type: 'string',
        format: 'date-time',
        description: 'With a zone, from 2015 to a day ahead; what lies outside is dropped',
      },
    },
    examples: [{ channel: 1, type: 'temperature', value: 4.2, measuredAt: '2026-03-02T08:15:30Z' }],
  },
};

const readings = Joi.array()
  .min(1)
  .max(READINGS_MAX)
  .required()
  .custom((sent: unknown[], helpers) => {
    let index = 0;
    try {
      return sent.map((each, position) => {
        index = position;
        return parseReading(each);
      });
    } catch (error) {
      if (!(error instanceof ReadingFault)) throw error;
      return helpers.message({ custom: '{{#label}}[{{#index}}]{{#fault}}' }, { index, fault: error.message });
    }
  })
  .meta({ docs: READING_DOCS });

export const measurementsBody = Joi.object<FrameBody>({
  readings,
  batteryStatus: Joi.string().valid('ok', 'low'),
  signal: Joi.number()
    .integer()
    .min(0)
    .max(99)
    .custom((signal: number, helpers) =>
      signal <= 63 || signal === 99
        ? signal
        : helpers.message({ custom: '{{#label}} must be 0 to 63, or 99' }),
    )
    .description('dBm = -110 + signal; 0 and 99 = unknown'),
  configHash: Joi.number()
    .integer()
    .min(0)
    .max(4_294_967_295)
    .description("The device's own number for its configuration"),
  nextTransmissionAt: time().description('When the device means to speak next'),
})
  .example({
    readings: [
      { channel: 'probe', type: 'temperature', value: 4.2, measuredAt: '2026-03-02T08:15:00Z' },
      { channel: 2, type: 'humidity', value: 41, measuredAt: '2026-03-02T08:15:00Z' },
    ],
    batteryStatus: 'ok',
    signal: 40,
  })
  .meta({ name: 'SentMeasurements' });

export const measurementsResultSchema = Joi.object({
  accepted: Joi.number().integer().required().description('Readings that were new'),
  duplicates: Joi.number().integer().required().description('Readings that were known already'),
  conflicts: Joi.number()
    .integer()
    .required()
    .description(
      'Readings with another value or type than a known one of their channel and time, which stays',
    ),
  pendingConfig: offeredChangeSchema
    .allow(null)
    .required()
    .description('What the device has to apply; handing it out counts as fetched'),
  wantsReport: Joi.boolean()
    .valid(true)
    .description('Only when configHash differs from that of the last report: the device should report again'),
}).example({ accepted: 2, duplicates: 0, conflicts: 0, pendingConfig: null });

const PAGE_MAX = 500;
/** More than a year of hours of one channel. */
const BUCKETS_MAX = 10_000;

export interface ListMeasurements {
  from?: Date;
  to?: Date;
  channel?: number;
  resolution?: Resolution;
  limit: number;
  cursor?: string;
}

export const listMeasurementsQuery = Joi.object<ListMeasurements, true>({
  from: rangeTime().description('Measured at this time or later'),
  to: rangeTime().description('Measured before this time'),
  channel: Joi.number().integer().min(1).max(CHANNELS_MAX),
  resolution: Joi.string()
    .valid(...Object.keys(RESOLUTIONS))
    .description('Sums up each channel in buckets of this length, in UTC, instead of single readings'),
  limit: limit(50)
    .max(BUCKETS_MAX)
    .description(`Items per page: to ${PAGE_MAX}, of buckets to ${BUCKETS_MAX}`),
  cursor: cursor(Joi.string().max(64)),
})
  .custom(inOrder)
  .custom((query: ListMeasurements, helpers) =>
    query.limit <= PAGE_MAX || query.resolution
      ? query
      : helpers.message({ custom: `limit must be at most ${PAGE_MAX} without a resolution` }),
  );

const measurementSchema = Joi.object({
  ...channelFields,
  value: Joi.number()
    .unsafe()
    .allow(null)
    .required()
    .description('In its unit; null where the sensor failed'),
  unit: Joi.string().allow('').required(),
  measuredAt: timestamp().required(),
  receivedAt: timestamp().required(),
  late: Joi.boolean().required().description('It came too late to open or close an alert'),
  error: Joi.number().integer().description('The error code of the sensor, where there is no value'),
})
  .example(measurementExample)
  .meta({ name: 'Measurement' });

const bucketSchema = Joi.object({
  ...channelFields,
  unit: Joi.string().allow('').required(),
  from: timestamp().required().description('The start of the bucket'),
  min: Joi.number().unsafe().required(),
  avg: Joi.number().unsafe().required().description('Of the readings, not weighted by time'),
  max: Joi.number().unsafe().required(),
  count: Joi.number().integer().required().description('Readings with a value; sensor errors do not count'),
})
  .example({
    channel: 1,
    position: 'probe',
    type: 'temperature',
    unit: '°C',
    from: '2026-03-02T08:00:00.000Z',
    min: 3.9,
    avg: 4.15,
    max: 4.4,
    count: 12,
  })
  .meta({ name: 'MeasurementBucket' });

export const measurementListSchema = Joi.object({
  items: Joi.array()
    .items(Joi.alternatives().try(measurementSchema, bucketSchema))
    .required()
    .description('Single readings, or buckets if a resolution was given'),
  nextCursor: nextCursor(),
}).example({ items: [measurementExample], nextCursor: null });
