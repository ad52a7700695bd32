import type { JobStatus, TargetState } from '../config-jobs/config-job.ts';
import { startOf } from '../config-jobs/config-targets.statements.ts';
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface DeviceJob {
  jobId: string;
  profileSlug: string;
  jobStatus: JobStatus;
  state: TargetState;
  reason: string | null;
  updatedAt: Date;
  /** When the device reported that it runs the change. */
  confirmedAt: Date | null;
}

export type DeviceJobsRepository = ReturnType<typeof createDeviceJobsRepository>;

/** The newest change of each device that is in the state. */
const LIST_NEWEST = `
  select t.asset_id as "assetId", t.job_id as "jobId", t.reason, t.profile_slug as "profileSlug"
  from unnest(:assetIds::uuid[]) as wanted(asset_id)
  cross join lateral (
    select t.asset_id, t.job_id, t.reason, j.profile_slug
    from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
    where t.organization_id = :organizationId and t.asset_id = wanted.asset_id and t.state = :state
    order by ${startOf('j')} desc, t.job_id desc limit 1
  ) as t`;

export type NewestChange = Pick<DeviceJob, 'jobId' | 'profileSlug' | 'reason'>;

export function createDeviceJobsRepository(sql: Sql) {
  return {
    /** By asset id. */
    async listNewest(
      organizationId: string,
      assetIds: readonly string[],
      state: 'failed' | 'applied',
    ): Promise<Map<string, NewestChange>> {
      if (assetIds.length === 0) return new Map();
      const rows = await query<NewestChange & { assetId: string }>(sql, LIST_NEWEST, {
        organizationId,
        assetIds: [...assetIds],
        state,
      });
      return new Map(rows.map(({ assetId, ...change }) => [assetId, change]));
    },

    /** The jobs of one device, newest first. */
    list(organizationId: string, assetId: string, limit: number): Promise<DeviceJob[]> {
      return query(
        sql,
        `select t.job_id as "jobId", t.state, t.reason, t.updated_at as "updatedAt",
           t.confirmed_at as "confirmedAt", j.profile_slug as "profileSlug", j.status as "jobStatus"
         from (
           select * from config_targets where organization_id = ? and asset_id = ?
           order by job_id desc limit ?
         ) as t
         cross join lateral (
           select profile_slug, status from config_jobs
           where organization_id = t.organization_id and id = t.job_id
         ) as j
         order by t.job_id desc`,
        [organizationId, assetId, limit],
      );
    },
  };
}
