/** Jobs that changes of a group began. */
import type { JobStatus } from '../config-jobs/config-job.ts';
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface GroupJob {
  id: string;
  profileSlug: string;
  status: JobStatus;
  reason: string | null;
  finishedAt: Date | null;
  /** For new members alone. */
  isOfNewMembers: boolean;
}

/** An organization may have any number of jobs, so those of a group are found among the latest. */
const LIST = `
  select id, profile_slug as "profileSlug", status, reason, finished_at as "finishedAt",
    origin ->> 'scope' = 'members' as "isOfNewMembers"
  from (
    select * from config_jobs where organization_id = :organizationId order by id desc limit 500
  ) as latest
  where origin ->> 'groupId' = :groupId::text order by id desc`;

export type GroupJobsRepository = ReturnType<typeof createGroupJobsRepository>;

export const createGroupJobsRepository = (sql: Sql) => ({
  /** Newest first. */
  list: (organizationId: string, groupId: string): Promise<GroupJob[]> =>
    query(sql, LIST, { organizationId, groupId }),
});
