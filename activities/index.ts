import { createApplyProfileActivities, type JobRunSteps } from './apply-profile.ts';
import { createDeliverWebhooksActivities, type DeliverWebhooksActivities } from './deliver-webhooks.ts';
import { createEscalateAlertActivities, type EscalateAlertActivities } from './escalate-alert.ts';
import { createUnknownStep } from './unknown-step.ts';

export interface ActivityDeps {
  jobRun: JobRunSteps;
  recoverySteps: DeliverWebhooksActivities;
  escalationRun: EscalateAlertActivities;
  unknownSteps: Parameters<typeof createUnknownStep>[0];
}

export const createActivities = ({ jobRun, recoverySteps, escalationRun, unknownSteps }: ActivityDeps) => ({
  ...createApplyProfileActivities(jobRun),
  ...createDeliverWebhooksActivities(recoverySteps),
  ...createEscalateAlertActivities(escalationRun),
  // The SDK calls this for all other activity names.
  default: createUnknownStep(unknownSteps),
});
