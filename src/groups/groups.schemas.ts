import Joi from 'joi';
import { deadlineMinutes, previewSchema, rollout } from '../config-jobs/config-jobs.schemas.ts';
import { serialNumbers } from '../devices/devices.schemas.ts';
import { name as nameOf, pageSchema, timestamp } from '../http/schemas.ts';
import { currentMute } from '../mutes/mutes.schemas.ts';
import { profileSlug } from '../profiles/profiles.schemas.ts';
import type { ChangeGroup, CreateGroup, GroupView } from './group.ts';

const SERIALS_MAX = 10_000;

const name = nameOf(128).description('Unique, compared without case');
const profile = profileSlug.allow(null).description('The profile that members are to run; null for none');

const EXAMPLE: GroupView = {
  id: '019cb0a5-9f31-7d02-a6c4-58e1b7d2f093',
  recType: 'group',
  name: 'Vaccine fridges',
  profileSlug: 'vaccine-fridge',
  memberCount: 12,
  mute: null,
  createdAt: '2026-02-20T13:05:12.000Z',
  updatedAt: '2026-03-02T08:15:30.000Z',
};
const JOB_ID = '019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5';

const fields = {
  id: Joi.string().required(),
  recType: Joi.string().valid('group').required(),
  name: Joi.string().required(),
  profileSlug: Joi.string().allow(null).required().description('The profile that members are to run'),
  memberCount: Joi.number().integer().required(),
  mute: currentMute(),
  createdAt: timestamp().required(),
  updatedAt: timestamp().required(),
};

export const groupSchema = Joi.object<GroupView>(fields).example(EXAMPLE).meta({ name: 'Group' });

export const groupListSchema = pageSchema(groupSchema, EXAMPLE);

const jobId = Joi.string()
  .allow(null)
  .required()
  .description('The job for members that do not run the profile; null when there is none');

export const changedGroupSchema = Joi.object({
  ...fields,
  jobId,
  preview: Joi.array()
    .items(previewSchema)
    .description('With dryRun: what the job would offer, one per variant of device'),
})
  .example({ ...EXAMPLE, jobId: JOB_ID })
  .meta({ name: 'ChangedGroup' });

export const changeGroupQuery = Joi.object<{ dryRun: boolean }, true>({
  dryRun: Joi.boolean().default(false).description('Show what the job would offer, change nothing'),
});

export const createGroupBody = Joi.object<CreateGroup>({
  name: name.required(),
  profileSlug: profile,
}).example({ name: 'Vaccine fridges', profileSlug: 'vaccine-fridge' });

export const changeGroupBody = Joi.object<ChangeGroup>({
  name,
  profileSlug: profile,
  rollout,
  deadlineMinutes,
})
  .or('name', 'profileSlug')
  .with('rollout', 'profileSlug')
  .with('deadlineMinutes', 'profileSlug')
  .messages({
    'object.missing': 'at least one of name and profileSlug must be given',
    'object.with': '{{#mainWithLabel}} is about the job for profileSlug, which must be given, too',
  })
  .example({ profileSlug: 'vaccine-fridge', deadlineMinutes: 1_440 });

export const membersBody = Joi.object<{ serialNumbers: string[] }, true>({
  serialNumbers: serialNumbers(SERIALS_MAX)
    .required()
    .messages({
      'array.min': '{{#label}} must name at least one device',
      'array.max': `{{#label}} must name at most ${SERIALS_MAX} devices: use several calls`,
    }),
}).example({ serialNumbers: ['282C02424EED'] });

export const addedMembersSchema = Joi.object({
  added: Joi.number().integer().required().description('How many were not in the group'),
  jobId,
}).example({ added: 1, jobId: JOB_ID });

export const removedMembersSchema = Joi.object({
  removed: Joi.number().integer().required().description('How many were in the group'),
}).example({ removed: 1 });
