import Joi from 'joi';
import { PROBE_POSITIONS } from '../devices/device-capabilities.ts';
import { configurationSchema, serialNumbers } from '../devices/devices.schemas.ts';
import { actorSchema, idParams, pageSchema, paging, time, timestamp, uuid } from '../http/schemas.ts';
import { type ChangedSetting, SETTINGS } from './changed-settings.ts';
import {
  DEADLINE_MINUTES_DEFAULT,
  DEADLINE_MINUTES_MAX,
  JOB_SCOPES,
  JOB_STATUSES,
  type JobOrigin,
  type JobStatus,
  type JobView,
  type Rollout,
  START_DAYS_MAX,
  TARGET_STATES,
  type TargetState,
} from './config-job.ts';

const SERIALS_MAX = 10_000;
const percent = () => Joi.number().min(1).max(100);
const count = () => Joi.number().integer().required();

export const rollout = Joi.object<Rollout, true>({
  firstPercent: percent().required().description('Share of the devices that go first'),
  minAppliedPercent: percent()
    .default(100)
    .description('Share of these that must apply it before the rest begins'),
  abortFailedPercent: percent().default(100).description('Share of refusals that ends the job'),
}).meta({ name: 'Rollout' });

export const deadlineMinutes = Joi.number()
  .integer()
  .min(1)
  .max(DEADLINE_MINUTES_MAX)
  .description('Minutes from the start until the job stops waiting; the change stays pending');

interface ApplyBody {
  serialNumbers?: string[];
  applyToAll?: true;
  groupId?: string;
  startAt?: Date;
  deadlineMinutes: number;
  rollout?: Rollout;
}

export const applyBody = Joi.object<ApplyBody>({
  serialNumbers: serialNumbers(SERIALS_MAX)
    .example(['282C02424EED'])
    .messages({
      'array.min': '{{#label}} must name at least one device',
      'array.max': `{{#label}} must name at most ${SERIALS_MAX} devices: use applyToAll or several calls`,
    }),
  applyToAll: Joi.boolean()
    .valid(true)
    .messages({ 'any.only': '{{#label}} must be true, or left out with serialNumbers given' })
    .description('All active devices'),
  groupId: uuid().description('All active devices of a group'),
  startAt: time().description(
    `From when on the change is offered, at most ${START_DAYS_MAX} days ahead; until then the job is scheduled. Default: at once`,
  ),
  deadlineMinutes: deadlineMinutes.default(DEADLINE_MINUTES_DEFAULT),
  rollout,
})
  .xor('serialNumbers', 'applyToAll', 'groupId')
  .messages({
    'object.xor': 'only one of serialNumbers, applyToAll and groupId may be given',
    'object.missing': 'one of serialNumbers, applyToAll and groupId must be given',
  })
  .example({ serialNumbers: ['282C02424EED'], deadlineMinutes: 1_440 })
  .description('To the devices of serialNumbers, of groupId, or with applyToAll to all: one of the three.')
  .meta({ name: 'Apply' });

interface ApplyQuery {
  dryRun: boolean;
  omitApplied: boolean;
}

export const applyQuery = Joi.object<ApplyQuery, true>({
  dryRun: Joi.boolean().default(false).description('Check and show what would be applied, change nothing'),
  omitApplied: Joi.boolean()
    .default(false)
    .description('With dryRun: leave applied empty, which answers sooner for a large fleet'),
});

const settingValue = () => Joi.alternatives(Joi.number(), Joi.string()).allow(null);

const changedSettingSchema = Joi.object<ChangedSetting>({
  setting: Joi.string()
    .valid(...SETTINGS)
    .required()
    .description('alarmRules: details of the rules beyond the others, such as when the device transmits'),
  channel: Joi.number().integer().description('Of an alert'),
  position: Joi.string()
    .valid(...PROBE_POSITIONS, null)
    .description('Of the channel; null: the device has none there'),
  from: settingValue().description('Null: there is none. Left out: the device has not shown it yet'),
  to: settingValue().required().description('Null: there will be none'),
}).meta({ name: 'ChangedSetting' });

const previewedChangeSchema = Joi.object({
  deviceCount: count(),
  settings: Joi.array().items(changedSettingSchema).required(),
}).meta({ name: 'PreviewedChange' });

export const previewSchema = Joi.object({
  config: configurationSchema.required(),
  deviceCount: Joi.number().integer().required(),
  warnings: Joi.array().items(Joi.string()).required(),
  unchangedCount: count().description('Devices that run it already, or are offered it'),
  changes: Joi.array()
    .items(previewedChangeSchema)
    .required()
    .description('Other devices by the settings that change, the most first; at most 20 entries'),
}).meta({ name: 'Preview' });

export const appliedSchema = Joi.object({
  ok: Joi.boolean().required(),
  profileSlug: Joi.string().required(),
  appliedCount: Joi.number().integer().required(),
  applied: Joi.array()
    .items(Joi.string())
    .required()
    .description('Serials, in the order sent or by asset id'),
  jobId: Joi.string()
    .allow(null)
    .required()
    .description('The job to poll; null when there is nothing to wait for'),
  preview: Joi.array().items(previewSchema).description('With dryRun: one per variant of device'),
})
  .example({
    ok: true,
    profileSlug: 'vaccine-fridge',
    appliedCount: 1,
    applied: ['282C02424EED'],
    jobId: '019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5',
  })
  .meta({ name: 'Applied' });

export const jobExample: JobView = {
  id: '019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5',
  profileSlug: 'vaccine-fridge',
  status: 'succeeded',
  reason: null,
  total: 2,
  counts: {
    queued: 0,
    waiting: 0,
    sent: 0,
    applied: 2,
    failed: 0,
    cancelled: 0,
    superseded: 0,
    timedOut: 0,
  },
  deadlineAt: '2026-03-04T08:00:00.000Z',
  createdAt: '2026-03-02T08:00:00.000Z',
  createdBy: { keyId: '019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a', name: 'Kitchen' },
  origin: { action: 'applyProfile', scope: 'devices', groupId: null },
  cancelRequestedAt: null,
  finishedAt: '2026-03-02T08:15:30.000Z',
};

const originSchema = Joi.object<JobOrigin>({
  action: Joi.string().required().description('The operationId'),
  scope: Joi.string()
    .valid(...JOB_SCOPES)
    .required()
    .description(
      'The devices that the request chose: all, a group, new members of a group, or devices by serial number',
    ),
  groupId: Joi.string().allow(null).required().description('With the scope group or members; else null'),
});

export const jobSchema = Joi.object<JobView>({
  id: Joi.string().required(),
  profileSlug: Joi.string().required(),
  status: Joi.string()
    .valid(...JOB_STATUSES)
    .required(),
  reason: Joi.string().allow(null).required().description('Why the job was aborted; else null'),
  total: count(),
  counts: Joi.object({
    queued: count(),
    waiting: count(),
    sent: count(),
    applied: count(),
    failed: count(),
    cancelled: count(),
    superseded: count(),
    timedOut: count(),
  }).required(),
  startAt: timestamp().description('Only of a job that was applied with startAt'),
  deadlineAt: timestamp().required(),
  cancelRequestedAt: timestamp()
    .allow(null)
    .required()
    .description(
      'When a customer cancelled the job. A large job is running until the change is withdrawn from all its devices',
    ),
  createdAt: timestamp().required(),
  createdBy: actorSchema
    .allow(null)
    .required()
    .description(
      'The key or the person whose request began the job; null: begun by a release that did not store it',
    ),
  origin: originSchema
    .allow(null)
    .required()
    .description('The request that began the job; null: begun by a release that did not store it'),
  finishedAt: timestamp().allow(null).required(),
})
  .example(jobExample)
  .meta({ name: 'ConfigJob' });

/** For the audit trail, where the view of the job alone does not show that its next stage was begun. */
export const stagedJobSchema = (jobSchema as Joi.ObjectSchema).keys({
  stage: count(),
  isNextStageBeginning: Joi.boolean().required(),
});

export const jobListSchema = pageSchema(jobSchema, jobExample);

const targetExample = {
  assetId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
  serialNumber: '282C02424EED',
  state: 'sent',
  reason: null,
  updatedAt: '2026-03-02T08:15:30.000Z',
};

const targetSchema = Joi.object({
  assetId: Joi.string().required(),
  serialNumber: Joi.string().required(),
  state: Joi.string()
    .valid(...TARGET_STATES)
    .required(),
  reason: Joi.string().allow(null).required(),
  updatedAt: timestamp().required(),
})
  .example(targetExample)
  .meta({ name: 'JobTarget' });

export const targetListSchema = pageSchema(targetSchema, targetExample);

export const listJobsQuery = Joi.object<{ status?: JobStatus; limit: number; cursor?: string }, true>({
  status: Joi.string().valid(...JOB_STATUSES),
  ...paging,
});

export const listTargetsQuery = Joi.object<{ state?: TargetState; limit: number; cursor?: string }, true>({
  state: Joi.string().valid(...TARGET_STATES),
  ...paging,
});

export const extendBody = Joi.object<{ deadlineAt: Date }, true>({
  deadlineAt: time()
    .required()
    .description(`Later than the present one, and at most ${DEADLINE_MINUTES_MAX} minutes ahead`),
}).example({ deadlineAt: '2026-03-05T08:00:00.000Z' });

export const jobParams = idParams('jobId');
