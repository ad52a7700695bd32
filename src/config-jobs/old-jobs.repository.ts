/** Jobs that ended long ago. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { JobRef } from './config-job.ts';

/** Whether a job sets the alert rules or the calendars of its devices. */
const SETS_RULES = `(j.profile_snapshot -> 'alerts' <> 'null' or j.profile_snapshot -> 'schedule' <> 'null')`;
/**
 * Whether the target shows the profile and time zone by which its device is monitored: it was confirmed, and
 * no later target that replaced rules and calendars was.
 */
const TELLS_WHAT_RUNS = `${SETS_RULES} and (t.state = 'applied' or t.confirmed_at is not null) and not exists (
    select from config_targets later
    cross join lateral (
      select 1 from config_jobs lj
      where lj.organization_id = later.organization_id and lj.id = later.job_id
        and lj.profile_snapshot -> 'alerts' <> 'null'
      limit 1
    ) as sets_alerts
    where later.organization_id = t.organization_id and later.asset_id = t.asset_id and later.job_id > t.job_id
      and (later.state = 'applied' or later.confirmed_at is not null)
      and not coalesce(later.lost_keys, '{}') && array['alarmRules', 'calendars']
  )`;

export interface RemovedPage {
  /** The last target of the page that was read; null when there was none. */
  last: string | null;
  removed: number;
}

export type OldJobsRepository = ReturnType<typeof createOldJobsRepository>;

export function createOldJobsRepository(sql: Sql) {
  return {
    /** Jobs of all organizations that ended, or were last checked, at least this many days ago. */
    list(days: number, limit: number): Promise<JobRef[]> {
      return query(
        sql,
        `select organization_id as "organizationId", id as "jobId" from config_jobs
         where finished_at is not null
           and coalesce(purge_checked_at, finished_at) < now() - make_interval(days => ?)
         order by coalesce(purge_checked_at, finished_at) limit ?`,
        [days, limit],
      );
    },

    /**
     * Removes settled ones of the next targets after an asset, except those that show what their device runs.
     */
    async removeTargets(
      { organizationId, jobId }: JobRef,
      after: string | null,
      limit: number,
    ): Promise<RemovedPage> {
      const [page] = await query<RemovedPage>(
        sql,
        `with page as materialized (
           select asset_id from config_targets
           where organization_id = ? and job_id = ? and (?::uuid is null or asset_id > ?)
           order by asset_id limit ?
         ), removed as (
           delete from config_targets t using page, config_jobs j
           where t.organization_id = ? and t.job_id = ? and t.asset_id = page.asset_id
             and j.organization_id = t.organization_id and j.id = t.job_id
             and not t.is_active and not (${TELLS_WHAT_RUNS})
           returning 1
         )
         select (select asset_id from page order by asset_id desc limit 1) as last,
           (select count(*) from removed) as removed`,
        [organizationId, jobId, after, after, limit, organizationId, jobId],
      );
      return page as RemovedPage;
    },

    /** Removes the job if it has no targets left; otherwise checks it again after the same time. */
    async removeOrKeep({ organizationId, jobId }: JobRef): Promise<void> {
      const isLeft = `exists (select from config_targets where organization_id = ? and job_id = ?)`;
      const key = [organizationId, jobId];
      await query(
        sql,
        `with removed as (
           delete from config_jobs where organization_id = ? and id = ? and not ${isLeft}
         )
         update config_jobs set purge_checked_at = now() where organization_id = ? and id = ? and ${isLeft}`,
        [...key, ...key, ...key, ...key],
      );
    },
  };
}
