/** Jobs without a run in Temporal, or with one that does not work. */
import type { Knex } from 'knex';
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { JobRef, JobStatus } from './config-job.ts';
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

/** Two polls of a run that no signal wakes. */
const WITHOUT_RUN_MINUTES = 10;

/** Ending a large job takes its run some minutes. */
const STUCK_AFTER_MINUTES = 15;
/** The end of a job takes its run a moment. */
const OVERDUE_AFTER_MINUTES = 2;
const COUNTED_MAX = 10_000;

const CHECKED_AT = `coalesce(workflow_checked_at, '-infinity')`;
const IS_STUCK = `status = 'running' and deadline_at < now() - make_interval(mins => ${STUCK_AFTER_MINUTES})`;

export type JobRunsRepository = ReturnType<typeof createJobRunsRepository>;

export function createJobRunsRepository(sql: Database) {
  const one = ({ organizationId, jobId }: JobRef) =>
    sql('config_jobs').where({ organization_id: organizationId, id: jobId });

  return {
    /** Null when the row is gone. */
    async findTitle({ organizationId, jobId }: JobRef): Promise<JobTitle | null> {
      const title = await sql('config_jobs as j')
        .join('organizations as o', 'o.id', 'j.organization_id')
        .where({ 'j.organization_id': organizationId, 'j.id': jobId })
        .select({ profileSlug: 'j.profile_slug', organizationName: 'o.name' })
        .select({ createdBy: sql.raw(`j.created_by ->> 'name'`) })
        .first();
      return title ?? null;
    },

    /**
     * Jobs that are running or scheduled, and were not checked by a workflow for this long: it was never started, it
     * was terminated, or Temporal lost it. Covers all organizations: running jobs, and scheduled ones, the soonest first; of
     * both, those whose last check is the longest ago.
     */
    async listWithoutWorkflow(olderThanMs: number, limit: number): Promise<JobWithoutWorkflow[]> {
      const unchecked = (status: JobStatus): Knex.QueryBuilder =>
        sql('config_jobs')
          .where({ status })
          .whereRaw(`${CHECKED_AT} < now() - make_interval(secs => ?)`, [olderThanMs / 1000])
          .limit(limit)
          .select('organization_id', 'id', sql.raw(`${IS_STUCK} as is_stuck, ${CHECKED_AT} as checked_at`));
      const running = unchecked('running').orderByRaw(CHECKED_AT);
      const missing = sql.unionAll([running, unchecked('scheduled').orderBy('start_at')], true);
      return acrossOrganizations(sql.from(missing.as('missing')))
        .orderBy('checked_at')
        .limit(limit)
        .select({ organizationId: 'organization_id', jobId: 'id', isStuck: 'is_stuck' });
    },

    /** Counts for the metrics, over all organizations: up to 10,000 jobs, beginning with the longest unchecked. */
    async countRunning(): Promise<RunningJobCounts> {
      const running = sql('config_jobs')
        .where({ status: 'running' })
        .orderByRaw(CHECKED_AT)
        .limit(COUNTED_MAX)
        .select('deadline_at', 'workflow_checked_at', 'start_at', 'created_at');
      return acrossOrganizations(sql.from(running.as('running'))).first(
        sql.raw(
          `count(*) as running,
           count(*) filter (where deadline_at < now() - make_interval(mins => ${OVERDUE_AFTER_MINUTES})) as overdue,
           count(*) filter (where greatest(workflow_checked_at, start_at, created_at)
             < now() - make_interval(mins => ${WITHOUT_RUN_MINUTES})) as "withoutRun"`,
        ),
      );
    },

    /** Does nothing while another transaction has locked the job, because that one works on it. */
    async touchWorkflow(ref: JobRef): Promise<void> {
      const free = one(ref).select('id').forNoKeyUpdate().skipLocked();
      await one(ref).whereIn('id', free).update({ workflow_checked_at: sql.fn.now() });
    },
  };
}
