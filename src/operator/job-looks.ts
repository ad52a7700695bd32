import type { FieldLook } from './form-layout.ts';

/** Fields of the forms that begin a job. */
export const JOB_LOOKS: Record<string, FieldLook> = {
  deadlineMinutes: { label: 'Deadline in minutes after the start', help: 'The change stays pending then.' },
  rollout: { label: 'Stages' },
  'rollout.firstPercent': { label: 'Percent of the devices that go first', help: null },
  'rollout.minAppliedPercent': {
    label: 'Percent of these that must have applied it before the rest begins',
    help: null,
  },
  'rollout.abortFailedPercent': { label: 'Percent of failures that ends the job', help: null },
};
