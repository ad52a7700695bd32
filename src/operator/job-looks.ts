import { DEADLINE_MINUTES_DEFAULT } from '../config-jobs/config-job.ts';
import type { FieldLook } from './form-layout.ts';

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
