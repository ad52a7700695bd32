import type { ApplyProfileActivities } from './apply-profile.ts';
import { createDeliverWebhooksActivities, type DeliverWebhooksActivities } from './deliver-webhooks.ts';

export interface ActivityDeps {
  jobRun: ApplyProfileActivities;
  recoverySteps: DeliverWebhooksActivities;
}

export const createActivities = ({ jobRun, recoverySteps }: ActivityDeps) => ({
  ...jobRun,
  ...createDeliverWebhooksActivities(recoverySteps),
});
