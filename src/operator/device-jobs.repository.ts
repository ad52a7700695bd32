import type { JobStatus, TargetState } from '../config-jobs/config-job.ts';
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

export function createDeviceJobsRepository(sql: Sql) {
  return {
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
