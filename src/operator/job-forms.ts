import { DEADLINE_MINUTES_DEFAULT, type JobView } from '../config-jobs/config-job.ts';
import { APPLY_PATH } from './apply-fields.ts';
import type { Values } from './form-fields.ts';
import type { FieldLook, FormLayout } from './form-layout.ts';
import { type Content, html } from './html.ts';
import { clock } from './parts.ts';

const section = 'Jobs';
const job = ({ jobId }: Record<string, string>) => `/operator/jobs/${jobId}`;
const about = {
  operation: 'getConfigJob',
  name(answer: Values, _: Record<string, string>, names: ReadonlyMap<string, string>): Content {
    const { profileSlug: slug, counts, total, deadlineAt } = answer as unknown as JobView;
    const applied = `${counts.applied.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    return html`${names.get(slug) ?? slug}, ${applied} applied, deadline ${clock(deadlineAt)}`;
  },
};
const ofJob = { section, about, back: job };

/** Fields of the forms that begin a job. */
export const JOB_LOOKS: Record<string, FieldLook> = {
  deadlineMinutes: {
    label: 'Deadline in minutes after the start',
    help: `Left empty, ${DEADLINE_MINUTES_DEFAULT}: ${DEADLINE_MINUTES_DEFAULT / 60} h. The change stays pending then.`,
  },
  rollout: { label: 'Stages' },
  'rollout.firstPercent': { label: 'Percent of the devices that go first', help: null, need: 'for stages' },
  'rollout.minAppliedPercent': {
    label: 'Percent of these that must have applied it before the rest begins',
    help: null,
  },
  'rollout.abortFailedPercent': { label: 'Percent of failures that ends the job', help: null },
};

export const JOB_FORMS = {
  applyProfile: {
    path: APPLY_PATH,
    title: 'Apply a profile',
    submit: 'Preview',
    section,
    question:
      'Choose one of the three: serial numbers, a group, or all devices. The preview shows what changes for how many.',
    looks: {
      slug: { label: 'Profile', choices: 'profiles' },
      serialNumbers: { label: 'Serial numbers', need: 'or' },
      groupId: { label: 'Group', choices: 'groups', help: null, need: 'or' },
      applyToAll: { label: 'All devices', help: null },
      startAt: { label: 'Start' },
      ...JOB_LOOKS,
    },
    back: () => '/operator/jobs',
    said: 'The job has begun.',
  },
  cancelConfigJob: {
    ...ofJob,
    title: 'Cancel the job',
    submit: 'Cancel the job',
    question: 'The change is withdrawn from devices that have not settled, and offered to no further one.',
    isDanger: true,
    said: 'The job was cancelled: no further device is offered the change.',
  },
  proceedConfigJob: {
    ...ofJob,
    title: 'Begin the next stage',
    submit: 'Begin it now',
    question:
      'The devices of the next stage are offered the change now, however many of the first have applied it.',
    said: 'The next stage begins.',
  },
  extendConfigJob: {
    ...ofJob,
    title: 'Move the deadline',
    submit: 'Move it',
    said: 'The deadline is moved.',
  },
  retryConfigJob: {
    ...ofJob,
    title: 'Retry the job',
    submit: 'Send it again',
    question: 'The same change is sent again to devices that failed or timed out.',
    next: (_, { id }) => `/operator/jobs/${id}`,
    said: 'The same change is sent again to the devices that failed or timed out.',
  },
} satisfies Record<string, FormLayout>;
