import { createApplyProfileActivities, type JobRunSteps } from './apply-profile.ts';
import { createDeliverWebhooksActivities, type EndpointRecoverySteps } from './deliver-webhooks.ts';

export interface ActivityDeps {
  jobRun: JobRunSteps;
  recoverySteps: EndpointRecoverySteps;
}

export function createActivities({ jobRun, recoverySteps }: ActivityDeps) {
  return { ...createApplyProfileActivities(jobRun), ...createDeliverWebhooksActivities(recoverySteps) };
}
