import { newestFirst, type Page, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Actor } from '../db/transaction.ts';
import {
  type ConfigJob,
  type Counts,
  type Job,
  type JobOrigin,
  type JobRef,
  type JobStatus,
  NO_COUNTS,
} from './config-job.ts';

export interface NewJob
  extends Pick<
    Job,
    'profileSlug' | 'profileSnapshot' | 'rollout' | 'stageCount' | 'targetCount' | 'startAt'
  > {
  organizationId: string;
  /** The devices of the first stage are offered the change with the job; else its run offers it. */
  isOffered: boolean;
  /** Counts from the start. */
  deadlineMinutes: number;
  retryOfJobId: string | null;
  /** Null: the service itself. */
  createdBy: Actor | null;
  /** Null: the service itself. */
  origin: JobOrigin | null;
}

interface ConfigJobRow extends Columns<Omit<ConfigJob, 'jobId' | 'targetCounts'>> {
  id: string;
  target_counts: Counts | null;
  retry_of_job_id: string | null;
  workflow_checked_at: Date | null;
  purge_checked_at: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    config_jobs: ConfigJobRow;
  }
}

/** Counts of the targets by state: stored in the row of a job that has ended, counted while it runs. */
const COUNTS = `coalesce(target_counts, (
    select jsonb_object_agg(state, count) from (
      select state, count(*) from config_targets
      where organization_id = config_jobs.organization_id and job_id = config_jobs.id group by state
    ) as by_state
  )) as counts`;

type CountedJobRow = ConfigJobRow & { counts: Partial<Counts> | null };

const toJob = (row: ConfigJobRow): Job => ({
  organizationId: row.organization_id,
  jobId: row.id,
  profileSlug: row.profile_slug,
  profileSnapshot: row.profile_snapshot,
  rollout: row.rollout,
  currentStage: row.current_stage,
  stageCount: row.stage_count,
  isBeginningStage: row.is_beginning_stage,
  status: row.status,
  targetCount: row.target_count,
  createdAt: row.created_at,
  startAt: row.start_at,
  deadlineAt: row.deadline_at,
  cancelRequestedAt: row.cancel_requested_at,
  reason: row.reason,
});

const toConfigJob = (row: CountedJobRow): ConfigJob => ({
  ...toJob(row),
  targetCounts: { ...NO_COUNTS, ...row.counts },
  createdBy: row.created_by,
  origin: row.origin,
  finishedAt: row.finished_at,
});

export type ConfigJobsRepository = ReturnType<typeof createConfigJobsRepository>;

export function createConfigJobsRepository(sql: Database) {
  const one = ({ organizationId, jobId }: JobRef) =>
    sql('config_jobs').where({ organization_id: organizationId, id: jobId });

  return {
    async insert(job: NewJob): Promise<JobRef> {
      const { organizationId, startAt, deadlineMinutes } = job;
      const last = await sql('config_jobs')
        .where({ organization_id: organizationId })
        .orderBy('id', 'desc')
        .first('id');
      const [row] = await sql('config_jobs')
        .insert({
          organization_id: organizationId,
          // Later jobs have higher ids, also after the clock of the database was ahead.
          id: sql.raw(
            `uuidv7(greatest(interval '0', uuid_extract_timestamp(?::uuid) - clock_timestamp() + interval '1 millisecond'))`,
            [last?.id ?? null],
          ),
          profile_slug: job.profileSlug,
          profile_snapshot: toJson(job.profileSnapshot),
          rollout: toJson(job.rollout),
          current_stage: job.isOffered ? 1 : 0,
          is_beginning_stage: !job.isOffered,
          stage_count: job.stageCount,
          target_count: job.targetCount,
          retry_of_job_id: job.retryOfJobId,
          created_by: toJson(job.createdBy),
          origin: toJson(job.origin),
          status: startAt === null ? 'running' : 'scheduled',
          start_at: startAt,
          deadline_at: sql.raw('coalesce(?::timestamptz, now()) + make_interval(mins => ?::integer)', [
            startAt,
            deadlineMinutes,
          ]),
        })
        .returning('id');
      return { organizationId, jobId: (row as { id: string }).id };
    },

    async find(ref: JobRef): Promise<ConfigJob | null> {
      const row = await one(ref).select<CountedJobRow[]>('*', sql.raw(COUNTS)).first();
      return row ? toConfigJob(row) : null;
    },

    async exists(ref: JobRef): Promise<boolean> {
      return (await one(ref).first('id')) !== undefined;
    },

    /** Newest first. */
    async list(
      organizationId: string,
      { status, ...page }: Page & { status: JobStatus | null },
    ): Promise<ConfigJob[]> {
      const jobs = sql('config_jobs').where({ organization_id: organizationId });
      if (status !== null) jobs.where({ status });
      const rows = await jobs.select<CountedJobRow[]>('*', sql.raw(COUNTS)).modify(newestFirst, page);
      return rows.map(toConfigJob);
    },

    /** Locks the row of the job until the transaction ends. */
    async lock(ref: JobRef): Promise<Job | null> {
      const row = await one(ref).first().forUpdate();
      return row ? toJob(row) : null;
    },

    async hasOpenRetry({ organizationId, jobId }: JobRef): Promise<boolean> {
      const retry = await sql('config_jobs')
        .where({ organization_id: organizationId, retry_of_job_id: jobId, finished_at: null })
        .first('id');
      return retry !== undefined;
    },

    /** Without counting its targets. */
    async findForWorkflow(ref: JobRef): Promise<Job | null> {
      const row = await one(ref).first();
      return row ? toJob(row) : null;
    },

    async countTargets(ref: JobRef): Promise<Counts> {
      const row = await one(ref).select<CountedJobRow[]>(sql.raw(COUNTS)).first();
      return { ...NO_COUNTS, ...row?.counts };
    },

    async updateStage(ref: JobRef, currentStage: number): Promise<void> {
      await one(ref).update({ current_stage: currentStage, is_beginning_stage: false });
    },

    /** Records that the next stage has begun, or begins whatever the devices of this one do. */
    async markBeginningStage(ref: JobRef): Promise<void> {
      await one(ref).update({ is_beginning_stage: true });
    },

    /** Starts a scheduled job. */
    async markRunning(ref: JobRef): Promise<void> {
      await one(ref).where({ status: 'scheduled' }).update({ status: 'running' });
    },

    /** A scheduled job counts as running from now on, so that its run ends it. */
    async requestCancel(ref: JobRef): Promise<void> {
      await one(ref).update({ status: 'running', cancel_requested_at: sql.fn.now() });
    },

    async markAborting(ref: JobRef, reason: string): Promise<void> {
      await one(ref).update({ reason });
    },

    async updateDeadline(ref: JobRef, deadlineAt: Date): Promise<void> {
      await one(ref).update({ deadline_at: deadlineAt });
    },

    /** Stores the final counts in the row of the job. Only an aborted one keeps a reason: its abort may have been cancelled. */
    async finish(ref: JobRef, status: JobStatus, targetCounts: Counts): Promise<void> {
      const ended = { status, target_counts: toJson(targetCounts), finished_at: sql.fn.now() };
      await one(ref).update(status === 'aborted' ? ended : { ...ended, reason: null });
    },
  };
}
