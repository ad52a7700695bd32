import { createApplyProfileActivities, type JobCourse } from './apply-profile.ts';

export interface ActivityDeps {
  course: JobCourse;
}

export function createActivities({ course }: ActivityDeps) {
  return { ...createApplyProfileActivities(course) };
}
