import { createApplyProfileActivities, type JobRunSteps } from './apply-profile.ts';
import { createDeliverWebhooksActivities, type DeliverWebhooksActivities } from './deliver-webhooks.ts';
import { createUnknownStep } from './unknown-step.ts';

export interface ActivityDeps {
  jobRun: JobRunSteps;
  recoverySteps: DeliverWebhooksActivities;
  unknownSteps: Parameters<typeof createUnknownStep>[0];
}

export const createActivities = ({ jobRun, recoverySteps, unknownSteps }: ActivityDeps) => ({
  ...createApplyProfileActivities(jobRun),
  ...createDeliverWebhooksActivities(recoverySteps),
  // By this name the SDK looks up what answers all others.
  default: createUnknownStep(unknownSteps),
});
