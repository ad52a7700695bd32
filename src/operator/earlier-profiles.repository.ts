/**
 * Devices that run the change of a job, by the profile that they confirmed before it: so that a change that
 * was a mistake can be undone by applying the earlier profiles.
 */
import type { JobRef } from '../config-jobs/config-job.ts';
import { startOf, startsBefore } from '../config-jobs/config-targets.statements.ts';
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface ChangedDevice {
  serialNumber: string;
  /** Null: no earlier apply is known. */
  profileSlug: string | null;
}

/**
 * Devices with a later change are left out, because that one counts; one that has yet to start, or was cancelled before
 * devices confirmed it, does not.
 */
const LIST = `
  select a.serial_number as "serialNumber", earlier.profile_slug as "profileSlug"
  from config_targets t
  join config_jobs own on own.organization_id = t.organization_id and own.id = t.job_id
  join assets a on a.organization_id = t.organization_id and a.id = t.asset_id and a.archived_at is null
  left join lateral (
    select j.profile_slug from config_targets e
    join config_jobs j on j.organization_id = e.organization_id and j.id = e.job_id
    where e.organization_id = t.organization_id and e.asset_id = t.asset_id and ${startsBefore('j', 'own')}
      and e.confirmed_at is not null
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

export type EarlierProfilesRepository = ReturnType<typeof createEarlierProfilesRepository>;

export const createEarlierProfilesRepository = (sql: Sql) => ({
  list: ({ organizationId, jobId }: JobRef, limit: number): Promise<ChangedDevice[]> =>
    query(sql, LIST, { organizationId, jobId, limit }),
});
