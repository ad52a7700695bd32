import type { JobRef } from '../config-jobs/config-job.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { AWAITED_READ_MAX, type AwaitedDevice, type JobStages } from './job-progress.ts';

export type JobProgressRepository = ReturnType<typeof createJobProgressRepository>;

/** Bindings: the organization, the job. */
const OF_SMALL_JOB = `select organization_id, asset_id, state from config_targets
  where organization_id = ? and job_id = ? order by asset_id limit ${AWAITED_READ_MAX}`;
/** Most targets of a large job may have settled; the index contains the unsettled ones of all jobs. */
const OF_LARGE_JOB = `select organization_id, asset_id, state from (
    select organization_id, job_id, asset_id, state from config_targets
    where organization_id = ? and is_active order by asset_id limit ${AWAITED_READ_MAX}
  ) as active where job_id = ?`;

const listing = (targets: string) => `
  select t.asset_id as "assetId", t.state, s.status, s.expected_by as "expectedBy",
    s.last_contact_at as "lastContactAt"
  from (${targets}) as t
  left join lateral (
    select status, expected_by, last_contact_at from device_states
    where organization_id = t.organization_id and asset_id = t.asset_id limit 1
  ) as s on true
  where t.state in ('waiting', 'sent')`;

export function createJobProgressRepository(sql: Database) {
  return {
    async findStages({ organizationId, jobId }: JobRef): Promise<JobStages | null> {
      const row = await sql('config_jobs').where({ organization_id: organizationId, id: jobId }).first();
      if (!row) return null;
      return {
        currentStage: row.current_stage,
        stageCount: row.stage_count,
        rollout: row.rollout,
        isBeginningStage: row.is_beginning_stage,
        retryOfJobId: row.retry_of_job_id,
      };
    },

    /**
     * Devices that have yet to fetch or confirm the change. Reads a bounded number of targets, so it may miss
     * some in a larger job.
     */
    listAwaited({ organizationId, jobId }: JobRef, targetCount: number): Promise<AwaitedDevice[]> {
      return targetCount <= AWAITED_READ_MAX
        ? query(sql, listing(OF_SMALL_JOB), [organizationId, jobId])
        : query(sql, listing(OF_LARGE_JOB), [organizationId, jobId]);
    },
  };
}
