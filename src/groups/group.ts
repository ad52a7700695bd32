/** A set of assets that may name the profile which its members are to run. */
import type { Preview } from '../config-jobs/compile-devices.ts';
import type { Rollout } from '../config-jobs/config-job.ts';
import { type Mute, muteView } from '../mutes/mute.ts';

export interface GroupFields {
  name: string;
  /** The profile that members are to run; null: none. */
  profileSlug: string | null;
}

export interface Group extends GroupFields {
  id: string;
  memberCount: number;
  mute: Mute | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface CreateGroup {
  name: string;
  profileSlug?: string | null;
}

export interface ChangeGroup {
  name?: string;
  /** Absent: whoever does not run the profile is left alone. */
  profileSlug?: string | null;
  rollout?: Rollout;
  deadlineMinutes?: number;
}

export const NAME_TAKEN = 'A group has this name already; names are compared without case';

/** Why targets are cancelled, for the customer. */
export const LEFT = 'the device left the group';
export const DELETED = 'the group was deleted';
export const OTHER_PROFILE = 'the group has another profile, or none';

export type GroupView = ReturnType<typeof groupView>;

export function groupView({ id, name, profileSlug, memberCount, mute, createdAt, updatedAt }: Group) {
  return {
    id,
    recType: 'group',
    name,
    profileSlug,
    memberCount,
    mute: mute && muteView(mute),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** What became of a change. */
export interface ChangedGroup {
  group: Group;
  /** Of the job for those who did not run the profile; null when there is none. */
  jobId: string | null;
  /** Only of a dry run. */
  preview?: Preview[];
}

export const changedGroupView = ({ group, jobId, preview }: ChangedGroup) => ({
  ...groupView(group),
  jobId,
  ...(preview && { preview }),
});
