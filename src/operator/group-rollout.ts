/** A rollout to a group that ended itself, while the group keeps its profile. */
import type { GroupView } from './answers.ts';
import type { GroupJob } from './shown-groups.repository.ts';

export interface AbortedRollout {
  job: GroupJob;
  /** The profile of the group before; null: none is known. */
  earlierSlug: string | null;
}

/** `jobs` are the newest first. Null: the latest rollout of the profile did not end itself. */
export function findAborted(
  { profileSlug }: Pick<GroupView, 'profileSlug'>,
  jobs: readonly GroupJob[],
): AbortedRollout | null {
  const last = jobs.findIndex(({ isOfNewMembers }) => !isOfNewMembers);
  const job = jobs[last];
  if (job?.status !== 'aborted' || job.profileSlug !== profileSlug) return null;
  const earlier = jobs.slice(last + 1).find((each) => each.profileSlug !== profileSlug);
  return { job, earlierSlug: earlier?.profileSlug ?? null };
}
