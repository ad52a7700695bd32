import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import {
  type ConfigJob,
  type Counts,
  type JobRef,
  type JobStatus,
  NO_COUNTS,
  type Rollout,
  type TargetState,
} from './config-job.ts';

export interface NewJob {
  organizationId: string;
  profileSlug: string;
  /** The profile as it was when it was applied. */
  profileSnapshot: ProfileSnapshot;
  rollout: Rollout | null;
  stageCount: number;
  targetCount: number;
  /** Null: at once. */
  startAt: Date | null;
  /** From the start on. */
  deadlineMinutes: number;
  retryOfJobId: string | null;
}

/** A job as its workflow sees it. */
export interface JobRow extends JobRef {
  profileSlug: string;
  profileSnapshot: ProfileSnapshot;
  rollout: Rollout | null;
  currentStage: number;
  stageCount: number;
  /** Part of the devices of the next stage have begun. */
  isBeginningStage: boolean;
  status: JobStatus;
  targetCount: number;
  startAt: Date | null;
  deadlineAt: Date;
  /** Null: nobody has cancelled it. */
  cancelRequestedAt: Date | null;
  /** Why it is being aborted; null: it is not. */
  reason: string | null;
}

const JOB_COLUMNS = `organization_id as "organizationId", id as "jobId", profile_slug as "profileSlug",
  profile_snapshot as "profileSnapshot", rollout, current_stage as "currentStage", stage_count as "stageCount",
  is_beginning_stage as "isBeginningStage", status, target_count as "targetCount", start_at as "startAt",
  deadline_at as "deadlineAt", cancel_requested_at as "cancelRequestedAt", reason`;
const OF_JOB = 'organization_id = ? and id = ?';
interface SummaryRow extends Omit<ConfigJob, 'targetCounts'> {
  targetCounts: Partial<Counts> | null;
}

/** Of a job `j`, by state. When it has ended they stand in its own row; while it runs, in the table list_totals. */
const COUNTS = `coalesce(j.target_counts, (
    select jsonb_object_agg(state, count) from (
      select state, sum(count) as count from (
        select key as state, total as count from list_totals
        where organization_id = j.organization_id and list = 'targets:' || j.id
        union all
        select key, change from list_changes where organization_id = j.organization_id and list = 'targets:' || j.id
      ) as kept group by state having sum(count) <> 0
    ) as by_state
  ))`;

const WITHOUT_KEPT_COUNTS = `with totals as (
    delete from list_totals where organization_id = ? and list = 'targets:' || ?::text
  ), changes as (
    delete from list_changes where organization_id = ? and list = 'targets:' || ?::text
  )`;

const FINISH = `update config_jobs set status = ?, target_counts = ?::jsonb, finished_at = now() where ${OF_JOB}`;

const SELECT_SUMMARY = `select j.id, j.profile_slug as "profileSlug", j.status, j.reason, j.target_count as "targetCount",
    j.start_at as "startAt", j.deadline_at as "deadlineAt", j.cancel_requested_at as "cancelRequestedAt", j.created_at as "createdAt", j.finished_at as "finishedAt",
    ${COUNTS} as "targetCounts"
  from config_jobs j`;

const toJob = (row: SummaryRow): ConfigJob => ({
  ...row,
  targetCounts: { ...NO_COUNTS, ...row.targetCounts },
});

export type ConfigJobsRepository = ReturnType<typeof createConfigJobsRepository>;

export function createConfigJobsRepository(sql: Sql) {
  return {
    async insert(job: NewJob): Promise<JobRef> {
      const { organizationId } = job;
      const [row] = await query<{ id: string }>(
        sql,
        `insert into config_jobs
           (organization_id, profile_slug, profile_snapshot, rollout, stage_count, target_count, retry_of_job_id,
            status, start_at, deadline_at)
         select n.*, case when at.start_at is null then 'running' else 'scheduled' end, at.start_at,
           coalesce(at.start_at, now()) + make_interval(mins => at.deadline_minutes)
         from (values (?::uuid, ?::text, ?::jsonb, ?::jsonb, ?::smallint, ?::integer, ?::uuid)) as n
         cross join (values (?::timestamptz, ?::integer)) as at (start_at, deadline_minutes)
         returning id`,
        [
          organizationId,
          job.profileSlug,
          JSON.stringify(job.profileSnapshot),
          job.rollout && JSON.stringify(job.rollout),
          job.stageCount,
          job.targetCount,
          job.retryOfJobId,
          job.startAt?.toISOString() ?? null,
          job.deadlineMinutes,
        ],
      );
      return { organizationId, jobId: (row as { id: string }).id };
    },

    async find({ organizationId, jobId }: JobRef): Promise<ConfigJob | null> {
      const [row] = await query<SummaryRow>(
        sql,
        `${SELECT_SUMMARY} where j.organization_id = ? and j.id = ?`,
        [organizationId, jobId],
      );
      return row ? toJob(row) : null;
    },

    async exists({ organizationId, jobId }: JobRef): Promise<boolean> {
      const rows = await query(sql, `select 1 from config_jobs where ${OF_JOB}`, [organizationId, jobId]);
      return rows.length > 0;
    },

    async list(
      organizationId: string,
      page: { status: JobStatus | null; before: string | null; limit: number },
    ): Promise<ConfigJob[]> {
      const rows = await query<SummaryRow>(
        sql,
        `${SELECT_SUMMARY} where j.organization_id = ? and (?::text is null or j.status = ?)
           and (?::uuid is null or j.id < ?)
         order by j.id desc limit ?`,
        [organizationId, page.status, page.status, page.before, page.before, page.limit],
      );
      return rows.map(toJob);
    },

    /** The job, locked until the transaction ends. */
    async lock({ organizationId, jobId }: JobRef): Promise<JobRow | null> {
      const [row] = await query<JobRow>(
        sql,
        `select ${JOB_COLUMNS} from config_jobs where ${OF_JOB} for update`,
        [organizationId, jobId],
      );
      return row ?? null;
    },

    async hasOpenRetry({ organizationId, jobId }: JobRef): Promise<boolean> {
      const [row] = await query(
        sql,
        `select 1 from config_jobs
         where organization_id = ? and retry_of_job_id = ? and finished_at is null limit 1`,
        [organizationId, jobId],
      );
      return row !== undefined;
    },

    async findForWorkflow({ organizationId, jobId }: JobRef): Promise<JobRow | null> {
      const [row] = await query<JobRow>(sql, `select ${JOB_COLUMNS} from config_jobs where ${OF_JOB}`, [
        organizationId,
        jobId,
      ]);
      return row ?? null;
    },

    /** Kept counts, which cost the same however many targets there are. */
    async countTargets({ organizationId, jobId }: JobRef): Promise<Counts> {
      const [row] = await query<{ counts: Partial<Counts> | null }>(
        sql,
        `select ${COUNTS} as counts from config_jobs j
         where j.organization_id = ? and j.id = ?`,
        [organizationId, jobId],
      );
      return { ...NO_COUNTS, ...row?.counts };
    },

    /** The same from its targets, which takes the longer the more there are: once, when it ends. */
    async recountTargets({ organizationId, jobId }: JobRef): Promise<Counts> {
      const rows = await query<{ state: TargetState; count: number }>(
        sql,
        `select state, count(*) from config_targets
         where organization_id = ? and job_id = ? group by state`,
        [organizationId, jobId],
      );
      return { ...NO_COUNTS, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
    },

    async updateStage({ organizationId, jobId }: JobRef, currentStage: number): Promise<void> {
      await query(
        sql,
        `update config_jobs set current_stage = ?, is_beginning_stage = false where ${OF_JOB}`,
        [currentStage, organizationId, jobId],
      );
    },

    async markBeginningStage({ organizationId, jobId }: JobRef): Promise<void> {
      await query(sql, `update config_jobs set is_beginning_stage = true where ${OF_JOB}`, [
        organizationId,
        jobId,
      ]);
    },

    /** The start of a scheduled job. */
    async markRunning({ organizationId, jobId }: JobRef): Promise<void> {
      await query(sql, `update config_jobs set status = 'running' where ${OF_JOB} and status = 'scheduled'`, [
        organizationId,
        jobId,
      ]);
    },

    /** One that is scheduled is running from then on, so that its run ends it. */
    async requestCancel({ organizationId, jobId }: JobRef): Promise<void> {
      await query(
        sql,
        `update config_jobs set status = 'running', cancel_requested_at = now() where ${OF_JOB}`,
        [organizationId, jobId],
      );
    },

    async markAborting({ organizationId, jobId }: JobRef, reason: string): Promise<void> {
      await query(sql, `update config_jobs set reason = ? where ${OF_JOB}`, [reason, organizationId, jobId]);
    },

    async updateTargetCount({ organizationId, jobId }: JobRef, targetCount: number): Promise<void> {
      await query(sql, `update config_jobs set target_count = ? where ${OF_JOB}`, [
        targetCount,
        organizationId,
        jobId,
      ]);
    },

    async finish(ref: JobRef, status: JobStatus, targetCounts: Counts): Promise<void> {
      const job = [ref.organizationId, ref.jobId];
      const outcome = [status, JSON.stringify(targetCounts), ...job];
      // Where tables are distributed no counts are kept.
      if (sql.isDistributed) await query(sql, FINISH, outcome);
      else await query(sql, `${WITHOUT_KEPT_COUNTS} ${FINISH}`, [...job, ...job, ...outcome]);
    },
  };
}
