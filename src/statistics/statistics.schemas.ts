import Joi from 'joi';
import { PROBE_POSITIONS } from '../devices/channel-layout.ts';
import { rangeTime, timestamp } from '../http/schemas.ts';
import { GAPS_MAX } from './statistics.ts';

export interface GetStatistics {
  from: Date;
  to: Date;
}

export const statisticsQuery = Joi.object<GetStatistics, true>({
  from: rangeTime().required().description('Measured at this time or later'),
  to: rangeTime().required().description('Measured before this time; at most 400 days later'),
});

const number = () => Joi.number().unsafe();
const bound = () => number().allow(null).required().description('°C; null where there is none');

const channelStatisticsSchema = Joi.object({
  channel: Joi.number().integer().required(),
  position: Joi.string()
    .valid(...PROBE_POSITIONS)
    .allow(null)
    .required(),
  type: Joi.string().required(),
  unit: Joi.string().allow('').required(),
  count: Joi.number().integer().required().description('Samples; sensor errors are none'),
  min: number().required(),
  max: number().required(),
  avg: number().required().description('Of the samples, unweighted'),
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
        secondsOutside: number().required().description('Whatever the schedule of the alert'),
      }),
    )
    .required()
    .description('Those that the device runs at present'),
  gaps: Joi.array()
    .items(Joi.object({ from: timestamp().required(), to: timestamp().required() }))
    .required()
    .description(
      `Oldest first, the newest ${GAPS_MAX} of them. A sample holds for two measurement intervals at most`,
    ),
  gapCount: Joi.number().integer().required(),
});

export const statisticsSchema = Joi.object({
  channels: Joi.array().items(channelStatisticsSchema).required(),
})
  .example({
    channels: [
      {
        channel: 1,
        position: 'probe',
        type: 'temperature',
        unit: '°C',
        count: 288,
        min: 3.1,
        max: 8.4,
        avg: 4.6,
        meanKineticTemperature: 4.7,
        alerts: [{ type: 'range', lowC: 2, highC: 8, secondsOutside: 600 }],
        gaps: [{ from: '2026-03-02T08:25:00.000Z', to: '2026-03-02T09:15:00.000Z' }],
        gapCount: 1,
      },
    ],
  })
  .meta({ name: 'Statistics' });
