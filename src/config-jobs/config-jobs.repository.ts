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
  /** What the profile said when it was applied. */
  parts: ProfileSnapshot;
  rollout: Rollout | null;
  stages: number;
  total: number;
  deadlineMinutes: number;
  retryOf: string | null;
}

/** A job as its workflow sees it. */
export interface JobRow extends JobRef {
  profileSlug: string;
  parts: ProfileSnapshot;
  rollout: Rollout | null;
  stage: number;
  stages: number;
  status: JobStatus;
  total: number;
  deadlineAt: Date;
}

const JOB_COLUMNS = `id as "jobId", organization_id as "organizationId", profile_slug as "profileSlug", profile_snapshot as parts, rollout, current_stage as stage, stage_count as stages,
  status, target_count as total, deadline_at as "deadlineAt"`;

interface JobSummaryRow extends Omit<ConfigJob, 'counts'> {
  counts: Partial<Counts> | null;
}

/** A finished job keeps its counts; those of a running one are counted from its targets. */
const JOB = `select j.id, j.profile_slug as "profileSlug", j.status, j.target_count as total, j.deadline_at as "deadlineAt",
    j.created_at as "createdAt", j.finished_at as "finishedAt", coalesce(j.target_counts, live.counts) as counts
  from config_jobs j
  left join lateral (
    select jsonb_object_agg(state, count) as counts
    from (select state, count(*) from config_targets where job_id = j.id group by state) as by_state
  ) as live on j.target_counts is null`;

const jobOf = (row: JobSummaryRow): ConfigJob => ({ ...row, counts: { ...NO_COUNTS, ...row.counts } });

export type ConfigJobsRepository = ReturnType<typeof createConfigJobsRepository>;

export function createConfigJobsRepository(sql: Sql) {
  return {
    async insert(job: NewJob): Promise<string> {
      const [row] = await query<{ id: string }>(
        sql,
        `insert into config_jobs
           (organization_id, profile_slug, profile_snapshot, rollout, stage_count, target_count, retry_of_job_id, deadline_at)
         values (?, ?, ?::jsonb, ?::jsonb, ?, ?, ?, now() + make_interval(mins => ?)) returning id`,
        [
          job.organizationId,
          job.profileSlug,
          JSON.stringify(job.parts),
          job.rollout && JSON.stringify(job.rollout),
          job.stages,
          job.total,
          job.retryOf,
          job.deadlineMinutes,
        ],
      );
      return (row as { id: string }).id;
    },

    async find(organizationId: string, id: string): Promise<ConfigJob | null> {
      const [row] = await query<JobSummaryRow>(sql, `${JOB} where j.organization_id = ? and j.id = ?`, [
        organizationId,
        id,
      ]);
      return row ? jobOf(row) : null;
    },

    async exists(organizationId: string, id: string): Promise<boolean> {
      const rows = await query(sql, 'select 1 from config_jobs where organization_id = ? and id = ?', [
        organizationId,
        id,
      ]);
      return rows.length > 0;
    },

    async list(
      organizationId: string,
      page: { status: JobStatus | null; before: string | null; limit: number },
    ): Promise<ConfigJob[]> {
      const rows = await query<JobSummaryRow>(
        sql,
        `${JOB} where j.organization_id = ? and (?::text is null or j.status = ?)
           and (?::uuid is null or j.id < ?)
         order by j.id desc limit ?`,
        [organizationId, page.status, page.status, page.before, page.before, page.limit],
      );
      return rows.map(jobOf);
    },

    /** The job, locked until the transaction ends. */
    async lock(id: string): Promise<JobRow | null> {
      const [row] = await query<JobRow>(
        sql,
        `select ${JOB_COLUMNS} from config_jobs where id = ? for update`,
        [id],
      );
      return row ?? null;
    },

    async findForWorkflow(id: string): Promise<JobRow | null> {
      const [row] = await query<JobRow>(sql, `select ${JOB_COLUMNS} from config_jobs where id = ?`, [id]);
      return row ?? null;
    },

    async count(id: string): Promise<Counts> {
      const rows = await query<{ state: TargetState; count: number }>(
        sql,
        'select state, count(*) from config_targets where job_id = ? group by state',
        [id],
      );
      return { ...NO_COUNTS, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
    },

    async updateStage(id: string, stage: number): Promise<void> {
      await query(sql, 'update config_jobs set current_stage = ? where id = ?', [stage, id]);
    },

    async finish(id: string, status: JobStatus, counts: Counts): Promise<void> {
      await query(
        sql,
        'update config_jobs set status = ?, target_counts = ?::jsonb, finished_at = now() where id = ?',
        [status, JSON.stringify(counts), id],
      );
    },

    /** Running jobs whose workflow was not seen for that long: never started, or lost with its server. */
    listWithoutWorkflow(olderThanMs: number, limit: number): Promise<JobRef[]> {
      return query(
        sql,
        `select id as "jobId", organization_id as "organizationId" from config_jobs
         where status = 'running'
           and (workflow_checked_at is null or workflow_checked_at < now() - make_interval(secs => ?))
         order by workflow_checked_at nulls first limit ?`,
        [olderThanMs / 1000, limit],
      );
    },

    async touchWorkflow({ jobId }: JobRef): Promise<void> {
      await query(sql, 'update config_jobs set workflow_checked_at = now() where id = ?', [jobId]);
    },
  };
}
