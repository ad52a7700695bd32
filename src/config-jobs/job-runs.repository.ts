/** Jobs without a run in Temporal, or with one that does not work. */
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { JobRef } from './config-job.ts';
import type { JobTitle } from './job-run.ts';

export interface RunningJobCounts {
  running: number;
  /** Number of jobs past their deadline. */
  overdue: number;
  withoutRun: number;
}

/** A job that is running or scheduled, and that no workflow has checked for a while. */
export interface JobWithoutWorkflow extends JobRef {
  /** A working run would have ended the job long ago, so a run that exists does not work. */
  isStuck: boolean;
}

const WITHOUT_RUN_SECONDS_MIN = 600;

/** Ending a large job takes its run some minutes. */
const STUCK_AFTER_MINUTES = 15;
/** The end of a job takes its run a moment. */
const OVERDUE_AFTER_MINUTES = 2;
const COUNTED_MAX = 10_000;

/** Running jobs, and scheduled ones, the soonest first; of both, those whose last check is the longest ago. */
const LIST_WITHOUT_WORKFLOW = `
  select organization_id as "organizationId", id as "jobId", is_stuck as "isStuck" from ((
    select organization_id, id, deadline_at < now() - make_interval(mins => ${STUCK_AFTER_MINUTES}) as is_stuck,
      coalesce(workflow_checked_at, '-infinity') as checked_at
    from config_jobs
    where status = 'running'
      and coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :olderThanSeconds)
    order by coalesce(workflow_checked_at, '-infinity') limit :limit
  ) union all (
    select organization_id, id, false, coalesce(workflow_checked_at, '-infinity') from config_jobs
    where status = 'scheduled'
      and coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :olderThanSeconds)
    order by start_at limit :limit
  )) as missing
  order by checked_at limit :limit`;

/** Up to 10,000 jobs, the ones first whose last check is the longest ago. */
const COUNT_RUNNING = `
  select count(*) as running,
    count(*) filter (where deadline_at < now() - make_interval(mins => ${OVERDUE_AFTER_MINUTES})) as overdue,
    count(*) filter (where greatest(workflow_checked_at, start_at, created_at)
      < now() - make_interval(secs => :withoutRunSeconds)) as "withoutRun"
  from (
    select deadline_at, workflow_checked_at, start_at, created_at from config_jobs where status = 'running'
    order by coalesce(workflow_checked_at, '-infinity') limit ${COUNTED_MAX}
  ) as running`;

export type JobRunsRepository = ReturnType<typeof createJobRunsRepository>;

export function createJobRunsRepository(sql: Database) {
  const one = ({ organizationId, jobId }: JobRef) =>
    sql('config_jobs').where({ organization_id: organizationId, id: jobId });

  return {
    /** Null when the row is gone. */
    async findTitle({ organizationId, jobId }: JobRef): Promise<JobTitle | null> {
      const row = await sql('config_jobs as j')
        .join('organizations as o', 'o.id', 'j.organization_id')
        .where({ 'j.organization_id': organizationId, 'j.id': jobId })
        .first('j.profile_slug', 'j.created_by', 'o.name');
      return row
        ? {
            profileSlug: row.profile_slug,
            organizationName: row.name,
            createdBy: row.created_by?.name ?? null,
          }
        : null;
    },

    /**
     * Jobs that are running or scheduled, and were not checked by a workflow for this long: it was never started, it
     * was terminated, or Temporal lost it. Covers all organizations.
     */
    listWithoutWorkflow: (olderThanMs: number, limit: number): Promise<JobWithoutWorkflow[]> =>
      query(sql, LIST_WITHOUT_WORKFLOW, { olderThanSeconds: olderThanMs / 1000, limit }),

    /**
     * Counts for the metrics, over all organizations: up to 10,000 jobs, beginning with the longest
     * unchecked. A run checks its job every `pollIntervalMs`.
     */
    async countRunning(pollIntervalMs: number): Promise<RunningJobCounts> {
      const withoutRunSeconds = Math.max(WITHOUT_RUN_SECONDS_MIN, (2 * pollIntervalMs) / 1000);
      const [row] = await query<RunningJobCounts>(sql, COUNT_RUNNING, { withoutRunSeconds });
      return row as RunningJobCounts;
    },

    /** Does nothing while another transaction has locked the job, because that one works on it. */
    async touchWorkflow(ref: JobRef): Promise<void> {
      const free = one(ref).select('id').forNoKeyUpdate().skipLocked();
      await one(ref).whereIn('id', free).update({ workflow_checked_at: sql.fn.now() });
    },
  };
}
