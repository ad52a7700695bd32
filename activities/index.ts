import { createApplyProfileActivities, type JobCourse } from './apply-profile.ts';
import { createDeliverWebhooksActivities, type EndpointTrouble } from './deliver-webhooks.ts';

export interface ActivityDeps {
  course: JobCourse;
  trouble: EndpointTrouble;
}

export function createActivities({ course, trouble }: ActivityDeps) {
  return { ...createApplyProfileActivities(course), ...createDeliverWebhooksActivities(trouble) };
}
