/** The change in the audit trail that began each job, with its group, which the job itself does not store. */
import type { JobView } from '../config-jobs/config-job.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { firstIdAt, UUID } from '../process/uuid.ts';
import { createGroupNamesRepository } from './group-names.repository.ts';

export interface JobOrigin {
  by: string;
  /** The operation. */
  action: string;
  /** The group whose change began the job, without its name once it is deleted; null: another change. */
  group: { id: string; name: string | null } | null;
}

/** Text, because it reads the few rows around the time of each job, whatever is between two jobs. */
const LIST = `
  select j.id as "jobId", o.actor_name as "by", o.action, o.subject
  from unnest(:jobIds::uuid[], :fromIds::uuid[], :toIds::uuid[]) as j (id, from_id, to_id)
  cross join lateral (
    select actor_name, action, subject from audit_entries
    where organization_id = :organizationId and id >= j.from_id and id < j.to_id
      and (subject = j.id::text or after ->> 'jobId' = j.id::text)
    order by id limit 1
  ) as o`;

/** The row of the audit trail is written in the transaction of the job, a moment later. */
const NEAR_MS = 5_000;

const OF_GROUPS = ['updateGroup', 'addGroupMembers'];

export type JobOriginsRepository = ReturnType<typeof createJobOriginsRepository>;

export function createJobOriginsRepository(sql: Database) {
  const groupNames = createGroupNamesRepository(sql);

  return {
    /** By job id; a job without one was begun by the service itself, or its row is too old. */
    async list(
      organizationId: string,
      jobs: ReadonlyArray<Pick<JobView, 'id' | 'createdAt'>>,
    ): Promise<Map<string, JobOrigin>> {
      if (jobs.length === 0) return new Map();
      const idAt = ({ createdAt }: Pick<JobView, 'createdAt'>, ms: number) =>
        firstIdAt(new Date(new Date(createdAt).getTime() + ms));
      const rows = await query<OriginRow>(sql, LIST, {
        organizationId,
        jobIds: jobs.map(({ id }) => id),
        fromIds: jobs.map((job) => idAt(job, -NEAR_MS)),
        toIds: jobs.map((job) => idAt(job, NEAR_MS)),
      });
      const ids = rows.filter(isOfGroup).map(({ subject }) => subject);
      const groups = ids.length === 0 ? [] : await groupNames.listByIds(organizationId, ids);
      const names = new Map(groups.map(({ value, label }) => [value, label]));
      const groupOf = ({ subject }: OriginRow) => ({ id: subject, name: names.get(subject) ?? null });
      return new Map(
        rows.map((row) => [
          row.jobId,
          { by: row.by, action: row.action, group: isOfGroup(row) ? groupOf(row) : null },
        ]),
      );
    },
  };
}

interface OriginRow {
  jobId: string;
  by: string;
  action: string;
  subject: string;
}

const isOfGroup = ({ action, subject }: OriginRow): boolean =>
  OF_GROUPS.includes(action) && UUID.test(subject);
