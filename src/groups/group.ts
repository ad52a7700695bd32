/** A set of assets, with an optional profile for its members. */
import { NO_SUCH_GROUP } from '../assets/asset.ts';
import type { Preview } from '../config-jobs/compile-devices.ts';
import type { Rollout } from '../config-jobs/config-job.ts';
import { type Mute, muteView } from '../mutes/mute.ts';
import { notFound } from '../process/errors.ts';

export interface GroupFields {
  name: string;
  /** The profile for its members; null: none. */
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
  /** Absent: members that do not run the profile stay as they are. */
  profileSlug?: string | null;
  rollout?: Rollout;
  deadlineMinutes?: number;
}

export const NAME_TAKEN = 'A group has this name already; names are compared without case';

/** Reason of cancelled targets, shown to the customer. */
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

/** The result of a change. */
export interface ChangedGroup {
  group: Group;
  /** The job for members that did not run the profile; null when there is none. */
  jobId: string | null;
  /** Set by a dry run only. */
  preview?: Preview[];
}

export const changedGroupView = ({ group, jobId, preview }: ChangedGroup) => ({
  ...groupView(group),
  jobId,
  ...(preview && { preview }),
});

/** For those who refer to groups. */
export interface LockedGroups {
  /** Keeps the groups from being deleted until the transaction ends. Returns those that exist. */
  lockShared(organizationId: string, ids: string[]): Promise<unknown[]>;
}

/** Without this check, an escalation or a channel of an unknown group would match nothing. @throws not found */
export async function requireGroups(
  groups: LockedGroups,
  organizationId: string,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await groups.lockShared(organizationId, ids);
  if (found.length < ids.length) throw notFound(NO_SUCH_GROUP);
}
