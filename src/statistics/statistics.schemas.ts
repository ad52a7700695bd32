import Joi from 'joi';
import { SEVERITIES } from '../devices/alert-terms.ts';
import { channelFields } from '../devices/devices.schemas.ts';
import { assetIds, inOrder, rangeTime, timestamp } from '../http/schemas.ts';
import { SPANS_MAX } from '../mutes/mute.ts';
import { timezone } from '../profiles/profiles.schemas.ts';
import { COMPARED_MAX } from './comparison.ts';
import { GAPS_MAX } from './statistics.ts';

interface GetStatistics {
  from: Date;
  to: Date;
  timezone: string;
  with?: string[];
}

const spans = () =>
  Joi.array().items(Joi.object({ from: timestamp().required(), to: timestamp().required() }));
const number = () => Joi.number().unsafe();

export const statisticsQuery = Joi.object<GetStatistics, true>({
  from: rangeTime().required().description('Measured at this time or later'),
  to: rangeTime().required().description('Measured before this time; at most 400 days later'),
  timezone: timezone.default('UTC').description('In which the PDF shows times; JSON shows them in UTC'),
  with: assetIds(COMPARED_MAX).description(
    `Ids of 1 to ${COMPARED_MAX} further devices, separated by commas: the PDF begins with their curves in one picture, and has a record of each. Only with Accept: application/pdf`,
  ),
}).custom(inOrder);

const bound = () => number().allow(null).required().description('°C; null where there is none');

const channelStatisticsSchema = Joi.object({
  ...channelFields,
  unit: Joi.string().allow('').required(),
  count: Joi.number().integer().required().description('Samples; sensor errors are none'),
  min: number().allow(null).required().description('Null without a sample'),
  max: number().allow(null).required().description('Null without a sample'),
  avg: number().allow(null).required().description('Of the samples, unweighted; null without a sample'),
  meanKineticTemperature: number()
    .allow(null)
    .required()
    .description(
      '°C, of the samples, unweighted; activation energy 83.144 kJ/mol. Null for what is no temperature',
    ),
  alerts: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().valid('range', 'high', 'low').required(),
        lowC: bound(),
        highC: bound(),
        severity: Joi.string()
          .valid(...SEVERITIES)
          .required(),
        from: timestamp().required(),
        to: timestamp().required(),
        secondsOutside: number().required().description('Whatever the schedule of the alert'),
      }),
    )
    .required()
    .description('One for each time that bounds were in force, cut to the span, oldest first'),
  withoutBounds: spans()
    .required()
    .description('Temperatures: since the first reading, the times in which no bounds were in force'),
  readings: Joi.number().integer().required().description('Samples and sensor errors'),
  expectedReadings: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('Since expectedFrom, by the periods of measurement in force; null: unknown'),
  expectedFrom: timestamp()
    .required()
    .description('The first reading in the span, or the beginning of the span where there was one before'),
  completenessPercent: number()
    .allow(null)
    .required()
    .description('readings of expectedReadings, at most 100; two decimals'),
  gaps: spans()
    .required()
    .description(
      `Oldest first, the newest ${GAPS_MAX} of them. A gap begins two periods of measurement after a reading`,
    ),
  gapCount: Joi.number().integer().required(),
});

export const statisticsSchema = Joi.object({
  channels: Joi.array().items(channelStatisticsSchema).required(),
  mutedSpans: Joi.array()
    .items(
      Joi.object({
        from: timestamp().required(),
        to: timestamp().required(),
        reason: Joi.string().required(),
      }),
    )
    .required()
    .description(
      `Times of maintenance of the device or its group, cut to the span, oldest first, the latest ${SPANS_MAX}`,
    ),
})
  .example({
    channels: [
      {
        channel: 1,
        position: 'probe',
        type: 'temperature',
        unit: '°C',
        count: 279,
        min: 3.1,
        max: 8.4,
        avg: 4.6,
        meanKineticTemperature: 4.7,
        alerts: [
          {
            type: 'range',
            lowC: 2,
            highC: 8,
            severity: 'critical',
            from: '2026-03-02T00:00:00.000Z',
            to: '2026-03-03T00:00:00.000Z',
            secondsOutside: 600,
          },
        ],
        withoutBounds: [],
        readings: 279,
        expectedReadings: 288,
        expectedFrom: '2026-03-02T00:00:00.000Z',
        completenessPercent: 96.88,
        gaps: [{ from: '2026-03-02T08:25:00.000Z', to: '2026-03-02T09:15:00.000Z' }],
        gapCount: 1,
      },
    ],
    mutedSpans: [{ from: '2026-03-02T09:00:00.000Z', to: '2026-03-02T10:00:00.000Z', reason: 'Defrosting' }],
  })
  .meta({ name: 'Statistics' });
