/** Jobs that ended long ago. */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { JobRef } from './config-job.ts';
import { REMOVE_TARGETS } from './old-jobs.statements.ts';

interface RemovedPage {
  /** The last target of the page that was read; null when there was none. */
  last: string | null;
  removed: number;
}

export type OldJobsRepository = ReturnType<typeof createOldJobsRepository>;

export function createOldJobsRepository(sql: Database) {
  const one = ({ organizationId, jobId }: JobRef) =>
    sql('config_jobs').where({ organization_id: organizationId, id: jobId });

  return {
    /** Jobs of all organizations that ended, or were last checked, this many days ago. */
    list: (days: number, limit: number): Promise<JobRef[]> =>
      acrossOrganizations(sql('config_jobs'))
        .whereNotNull('finished_at')
        .whereRaw('coalesce(purge_checked_at, finished_at) < now() - make_interval(days => ?)', [days])
        .orderByRaw('coalesce(purge_checked_at, finished_at)')
        .limit(limit)
        .select({ organizationId: 'organization_id', jobId: 'id' }),

    async removeTargets(job: JobRef, after: string | null, limit: number): Promise<RemovedPage> {
      const [page] = await query<RemovedPage>(sql, REMOVE_TARGETS, { ...job, after, limit });
      return page as RemovedPage;
    },

    /** Removes the job if it has no targets left; otherwise it is checked again after the same time. */
    async removeOrKeep(job: JobRef): Promise<void> {
      const targets = sql('config_targets').where({ organization_id: job.organizationId, job_id: job.jobId });
      const removed = await one(job)
        .whereNotExists(targets.select(sql.raw('1')))
        .delete();
      if (removed === 0) await one(job).update({ purge_checked_at: sql.fn.now() });
    },
  };
}
