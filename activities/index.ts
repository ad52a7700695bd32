import { createApplyProfileActivities, type JobRunSteps } from './apply-profile.ts';
import { createDeliverWebhooksActivities, type DeliverWebhooksActivities } from './deliver-webhooks.ts';

export interface ActivityDeps {
  jobRun: JobRunSteps;
  recoverySteps: DeliverWebhooksActivities;
}

export const createActivities = ({ jobRun, recoverySteps }: ActivityDeps) => ({
  ...createApplyProfileActivities(jobRun),
  ...createDeliverWebhooksActivities(recoverySteps),
});
