/** Groups by name, without the number of members that the list of the API counts for each, and jobs that their changes began. */
import type { ConfigJob } from '../config-jobs/config-job.ts';
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { Group } from '../groups/group.ts';
import type { Option } from './form-layout.ts';

/** A device that is in another group than the one that it is to join. */
export interface LeavingDevice {
  id: string;
  name: string;
  serialNumber: string;
  groupId: string;
  groupName: string;
}

export type GroupWithProfile = Pick<Group, 'id' | 'name' | 'memberCount'>;

export interface GroupJob extends Pick<ConfigJob, 'profileSlug' | 'status' | 'reason' | 'finishedAt'> {
  id: string;
  /** For new members alone. */
  isOfNewMembers: boolean;
}

/** An organization may have any number of jobs, so those of a group are found among the latest. */
const LATEST_JOBS = 500;

/** Read from an index alone: an archived asset is in no group. */
const MEMBER_COUNT = `(
    select count(*) from assets where organization_id = groups.organization_id and group_id = groups.id
  )::integer as "memberCount"`;

export type ShownGroupsRepository = ReturnType<typeof createShownGroupsRepository>;

export function createShownGroupsRepository(sql: Database) {
  const inUse = (organizationId: string) =>
    sql('groups').where({ organization_id: organizationId, deleted_at: null });

  return {
    /** By name. */
    async list(organizationId: string, limit: number): Promise<Option[]> {
      return inUse(organizationId)
        .orderByRaw('casefold(name collate pg_unicode_fast)')
        .limit(limit)
        .select({ value: 'id', label: 'name' });
    },

    async listByIds(organizationId: string, ids: readonly string[]): Promise<Option[]> {
      return inUse(organizationId).where(oneOf('id', ids)).select({ value: 'id', label: 'name' });
    },

    /** Devices with one of the serial numbers that are in another group. */
    async listLeaving(
      organizationId: string,
      groupId: string,
      serialNumbers: readonly string[],
    ): Promise<LeavingDevice[]> {
      const keys = serialNumbers.map((serial) => serial.toLowerCase());
      return sql({ a: 'assets' })
        .join({ g: 'groups' }, { 'g.organization_id': 'a.organization_id', 'g.id': 'a.group_id' })
        .where({ 'a.organization_id': organizationId, 'a.archived_at': null, 'g.deleted_at': null })
        .whereNot('g.id', groupId)
        .where(oneOf('lower(a.serial_number)', keys, 'text'))
        .orderBy('a.id')
        .select({ id: 'a.id', name: 'a.name', serialNumber: 'a.serial_number' })
        .select({ groupId: 'g.id', groupName: 'g.name' });
    },

    /** By name, with the numbers of their members. */
    async listByProfile(organizationId: string, slug: string, limit: number): Promise<GroupWithProfile[]> {
      return inUse(organizationId)
        .where({ profile_slug: slug })
        .orderByRaw('casefold(name collate pg_unicode_fast)')
        .limit(limit)
        .select<GroupWithProfile[]>('id', 'name', sql.raw(MEMBER_COUNT));
    },

    /** Newest first. */
    async listJobs(organizationId: string, groupId: string): Promise<GroupJob[]> {
      const jobs = sql('config_jobs').where({ organization_id: organizationId });
      return sql
        .from(jobs.orderBy('id', 'desc').limit(LATEST_JOBS).as('latest'))
        .whereRaw(`origin ->> 'groupId' = ?`, [groupId])
        .orderBy('id', 'desc')
        .select({ id: 'id', profileSlug: 'profile_slug', status: 'status' })
        .select({ reason: 'reason', finishedAt: 'finished_at' })
        .select(sql.raw(`origin ->> 'scope' = 'members' as "isOfNewMembers"`));
    },
  };
}
