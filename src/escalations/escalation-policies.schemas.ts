import Joi from 'joi';
import { SEVERITIES } from '../devices/alert-terms.ts';
import { name as nameOf, pageSchema, timestamp, uuid } from '../http/schemas.ts';
import { alertTypes as channelAlertTypes, groupIds } from '../notifications/notification-channels.schemas.ts';
import {
  type ChangePolicy,
  type CreatePolicy,
  type EscalationStep,
  POLICY_STATUSES,
  type PolicyView,
  REPEAT_MINUTES_MAX,
  REPEAT_MINUTES_MIN,
  STEP_CHANNELS_MAX,
  STEP_MINUTES_MAX,
  STEPS_MAX,
} from './escalation-policy.ts';

const name = nameOf(128).example('Cold store, at night');
const alertTypes = channelAlertTypes.description('The types of alerts that it is for.');
const severities = Joi.array()
  .items(Joi.string().valid(...SEVERITIES))
  .min(1)
  .unique()
  .messages({ 'array.min': '{{#label}} must name at least one severity' })
  .description('The severities of alerts that it is for.')
  .example(['critical']);

const step = Joi.object<EscalationStep>({
  afterMinutes: Joi.number()
    .integer()
    .min(0)
    .max(STEP_MINUTES_MAX)
    .required()
    .description('Counted from when the alert was opened; 0: at once.')
    .example(0),
  channelIds: Joi.array()
    .items(uuid())
    .min(1)
    .max(STEP_CHANNELS_MAX)
    .unique()
    .required()
    .messages({
      'array.min': '{{#label}} must name at least one notification channel',
      'string.pattern.base': '{{#label}} must be the id of a notification channel',
    })
    .description('Notification channels; one that is disabled or unconfirmed by then is left out.'),
});

const isGrowing = (steps: EscalationStep[]): boolean =>
  steps.every(
    ({ afterMinutes }, index) => index === 0 || afterMinutes > (steps[index - 1]?.afterMinutes ?? 0),
  );

const steps = Joi.array()
  .items(step)
  .min(1)
  .max(STEPS_MAX)
  .custom((value: EscalationStep[], helpers) => (isGrowing(value) ? value : helpers.error('steps.order')))
  .messages({
    'array.min': '{{#label}} must hold at least one step',
    'steps.order': '{{#label}} must be in the order of afterMinutes, each later than the one before',
  })
  .description('Made one after the other, until somebody acknowledges the alert or it is over.');
const repeatMinutes = Joi.number()
  .integer()
  .min(REPEAT_MINUTES_MIN)
  .max(REPEAT_MINUTES_MAX)
  .allow(null)
  .description('The last step is repeated after so long, 10 times at most. null: it is not.');
const status = Joi.string()
  .valid(...POLICY_STATUSES)
  .description('Disabling one ends the escalations that are under way.');

const fields = { name, alertTypes, severities, groupIds, steps, repeatMinutes, status };

const EXAMPLE: PolicyView = {
  id: '019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f',
  recType: 'escalation',
  name: 'Cold store, at night',
  alertTypes: ['high_temp', 'low_temp'],
  severities: ['critical'],
  groupIds: [],
  steps: [
    { afterMinutes: 0, channelIds: ['019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48'] },
    { afterMinutes: 15, channelIds: ['019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59'] },
  ],
  repeatMinutes: 30,
  status: 'active',
  createdAt: '2026-02-20T13:05:12.000Z',
  updatedAt: '2026-02-20T13:05:12.000Z',
};
const { name: exampleName, alertTypes: exampleTypes, steps: exampleSteps } = EXAMPLE;

export const createPolicyBody = Joi.object<CreatePolicy>({
  ...fields,
  name: name.required(),
  steps: steps.required(),
  alertTypes: alertTypes.description('The types of alerts that it is for. Default: all'),
  severities: severities.description('The severities of alerts that it is for. Default: all'),
  groupIds: groupIds.description('Only alerts of assets in these groups. Default: of all assets'),
  repeatMinutes: repeatMinutes.description(
    'The last step is repeated after so long, 10 times at most. Default: null, it is not',
  ),
  status: status.description('Default: active'),
})
  .example({ name: exampleName, alertTypes: exampleTypes, steps: exampleSteps, repeatMinutes: 30 })
  .meta({ name: 'CreateEscalation' });

export const changePolicyBody = Joi.object<ChangePolicy>(fields)
  .min(1)
  .messages({ 'object.min': 'at least one field of the escalation must be given' })
  .example({ repeatMinutes: 60 })
  .meta({ name: 'ChangeEscalation' });

export const policySchema = Joi.object<PolicyView>({
  id: Joi.string().required(),
  recType: Joi.string().valid('escalation').required(),
  name: Joi.string().required(),
  alertTypes: alertTypes.required(),
  severities: severities.required(),
  groupIds: groupIds.required(),
  steps: steps.required(),
  repeatMinutes: repeatMinutes.required(),
  status: status.required(),
  createdAt: timestamp().required(),
  updatedAt: timestamp().required(),
})
  .example(EXAMPLE)
  .meta({ name: 'Escalation' });

export const policyListSchema = pageSchema(policySchema, EXAMPLE, 'Newest first');
