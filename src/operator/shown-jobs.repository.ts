/** What pages show of jobs beside the answers of operations: their progress, their devices, the jobs of a device. */
import type { JobRef, JobStatus, TargetState } from '../config-jobs/config-job.ts';
import { startOf, startsBefore } from '../config-jobs/config-targets.statements.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { JobStages } from './job-progress.ts';

export interface ChangedDevice {
  serialNumber: string;
  /** Null: no earlier apply is known. */
  profileSlug: string | null;
  /** The job that brought it. */
  earlierJobId: string | null;
}

export interface DeviceJob {
  jobId: string;
  profileSlug: string;
  /** The short name of a deleted profile. */
  profileName: string;
  jobStatus: JobStatus;
  state: TargetState;
  reason: string | null;
  updatedAt: Date;
  /** When the device reported that it runs the change. */
  confirmedAt: Date | null;
}

export type NewestChange = Pick<DeviceJob, 'jobId' | 'profileSlug' | 'reason'>;

export type ShownJobsRepository = ReturnType<typeof createShownJobsRepository>;

/**
 * Devices with a later change are left out, because that one counts; one that has yet to start, or was cancelled before
 * devices confirmed it, does not. An earlier apply of the same settings is no way back.
 */
const LIST_CHANGED = `
  select a.serial_number as "serialNumber", earlier.profile_slug as "profileSlug", earlier.id as "earlierJobId"
  from config_targets t
  join config_jobs own on own.organization_id = t.organization_id and own.id = t.job_id
  join assets a on a.organization_id = t.organization_id and a.id = t.asset_id and a.archived_at is null
  left join lateral (
    select j.id, j.profile_slug from config_targets e
    join config_jobs j on j.organization_id = e.organization_id and j.id = e.job_id
    where e.organization_id = t.organization_id and e.asset_id = t.asset_id and ${startsBefore('j', 'own')}
      and e.confirmed_at is not null
      and not (j.profile_slug = own.profile_slug and j.profile_snapshot = own.profile_snapshot)
    order by ${startOf('j')} desc, e.job_id desc limit 1
  ) as earlier on true
  where t.organization_id = :organizationId and t.job_id = :jobId and t.state = 'applied'
    and not exists (
      select 1 from config_targets l
      join config_jobs j on j.organization_id = l.organization_id and j.id = l.job_id
      where l.organization_id = t.organization_id and l.asset_id = t.asset_id and ${startsBefore('own', 'j')}
        and (l.state <> 'queued' or j.status <> 'scheduled') and (l.state <> 'cancelled' or l.confirmed_at is not null)
    )
  order by t.asset_id limit :limit`;

export function createShownJobsRepository(sql: Database) {
  return {
    async findStages({ organizationId, jobId }: JobRef): Promise<JobStages | null> {
      const found = await sql('config_jobs').where({ organization_id: organizationId, id: jobId }).first({
        currentStage: 'current_stage',
        stageCount: 'stage_count',
        rollout: 'rollout',
        isBeginningStage: 'is_beginning_stage',
        retryOfJobId: 'retry_of_job_id',
      });
      return found ?? null;
    },

    /** The settings that the job brings; null: there is no such job of this profile. */
    async findSnapshot({ organizationId, jobId }: JobRef, slug: string): Promise<ProfileSnapshot | null> {
      const found = await sql('config_jobs')
        .where({ organization_id: organizationId, id: jobId, profile_slug: slug })
        .first('profile_snapshot');
      return found?.profile_snapshot ?? null;
    },

    /**
     * Devices that run the change, by the profile that they confirmed before it: so that a change that was a mistake can be
     * undone by applying the earlier profiles.
     */
    listChanged: ({ organizationId, jobId }: JobRef, limit: number): Promise<ChangedDevice[]> =>
      query(sql, LIST_CHANGED, { organizationId, jobId, limit }),

    /** The newest change in that state of each device, by asset id. */
    async listNewestChanges(
      organizationId: string,
      assetIds: readonly string[],
      state: 'failed' | 'applied',
    ): Promise<Map<string, NewestChange>> {
      if (assetIds.length === 0) return new Map();
      const newest = sql({ t: 'config_targets' })
        .join({ j: 'config_jobs' }, { 'j.organization_id': 't.organization_id', 'j.id': 't.job_id' })
        .where({ 't.organization_id': organizationId, 't.state': state })
        .where({ 't.asset_id': sql.ref('wanted.asset_id') })
        .orderByRaw(`${startOf('j')} desc, t.job_id desc`)
        .limit(1)
        .select({ jobId: 't.job_id', profileSlug: 'j.profile_slug', reason: 't.reason' });
      const rows: Array<NewestChange & { assetId: string }> = await sql
        .from(sql.raw('unnest(?::uuid[]) as wanted (asset_id)', [[...assetIds]]))
        .joinRaw('cross join lateral :newest as newest', { newest })
        .select('newest.*', { assetId: 'wanted.asset_id' });
      return new Map(rows.map(({ assetId, ...change }) => [assetId, change]));
    },

    /** The jobs of one device, newest first. */
    async listOfDevice(organizationId: string, assetId: string, limit: number): Promise<DeviceJob[]> {
      const latest = sql('config_targets')
        .where({ organization_id: organizationId, asset_id: assetId })
        .orderBy('job_id', 'desc')
        .limit(limit);
      return sql
        .from(latest.as('t'))
        .join({ j: 'config_jobs' }, { 'j.organization_id': 't.organization_id', 'j.id': 't.job_id' })
        .leftJoin({ p: 'profiles' }, { 'p.organization_id': 'j.organization_id', 'p.slug': 'j.profile_slug' })
        .orderBy('t.job_id', 'desc')
        .select({ jobId: 't.job_id', state: 't.state', reason: 't.reason', updatedAt: 't.updated_at' })
        .select({ confirmedAt: 't.confirmed_at', profileSlug: 'j.profile_slug', jobStatus: 'j.status' })
        .select({ profileName: sql.raw('coalesce(p.name, j.profile_slug)') });
    },
  };
}
