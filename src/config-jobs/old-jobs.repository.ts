/** Jobs that ended long ago. */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { SET_ASIDE_MS } from '../db/due-rows.ts';
import { query } from '../db/query.ts';
import type { JobRef } from './config-job.ts';
import { SETS_ALERTS, startsBefore } from './config-targets.statements.ts';

interface RemovedPage {
  /** The last target of the page that was read; null when there was none. */
  last: string | null;
  removed: number;
}

/**
 * The target tells by which profile and in which time zone its device is monitored: it was confirmed, and no later one
 * that sets alerts, which replace rules and calendars.
 */
const TELLS_WHAT_RUNS = `${SETS_ALERTS} and t.confirmed_at is not null and not exists (
    select from config_targets later
    cross join lateral (
      select 1 from config_jobs lj
      where lj.organization_id = later.organization_id and lj.id = later.job_id
        and lj.profile_snapshot -> 'alerts' <> 'null' and ${startsBefore('j', 'lj')}
      limit 1
    ) as sets_alerts
    where later.organization_id = t.organization_id and later.asset_id = t.asset_id and later.job_id <> t.job_id
      and later.confirmed_at is not null
      and not coalesce(later.lost_keys, '{}') && array['alarmRules', 'calendars']
  )`;

/** Settled targets among the next ones `:after` an asset, except those that show what their device runs. */
const REMOVE_TARGETS = `
  with page as materialized (
    select asset_id from config_targets
    where organization_id = :organizationId and job_id = :jobId and (:after::uuid is null or asset_id > :after)
    order by asset_id limit :limit
  ), removed as (
    delete from config_targets t using page, config_jobs j
    where t.organization_id = :organizationId and t.job_id = :jobId and t.asset_id = page.asset_id
      and j.organization_id = t.organization_id and j.id = t.job_id
      and not t.is_active and not (${TELLS_WHAT_RUNS})
    returning 1
  )
  select (select asset_id from page order by asset_id desc limit 1) as last,
    (select count(*) from removed) as removed`;

export type OldJobsRepository = ReturnType<typeof createOldJobsRepository>;

export function createOldJobsRepository(sql: Database) {
  const one = ({ organizationId, jobId }: JobRef) =>
    sql('config_jobs').where({ organization_id: organizationId, id: jobId });

  return {
    /** Jobs of all organizations that ended, or were last checked, this many days ago. */
    list: (days: number, limit: number): Promise<JobRef[]> =>
      acrossOrganizations(sql('config_jobs'))
        .whereNotNull('finished_at')
        .whereRaw('coalesce(purge_checked_at, finished_at) < now() - make_interval(days => ?)', [days])
        .orderByRaw('coalesce(purge_checked_at, finished_at)')
        .limit(limit)
        .select({ organizationId: 'organization_id', jobId: 'id' }),

    async removeTargets(job: JobRef, after: string | null, limit: number): Promise<RemovedPage> {
      const [page] = await query<RemovedPage>(sql, REMOVE_TARGETS, { ...job, after, limit });
      return page as RemovedPage;
    },

    /** Lists the job again after an hour, behind those that are due then. */
    async setAside(job: JobRef, days: number): Promise<void> {
      const at = sql.raw('now() - make_interval(days => ?, secs => ?)', [days, -SET_ASIDE_MS / 1_000]);
      await one(job).update({ purge_checked_at: at });
    },

    /** Removes the job if it has no targets left; otherwise it is checked again after the same time. */
    async removeOrKeep(job: JobRef): Promise<void> {
      const targets = sql('config_targets').where({ organization_id: job.organizationId, job_id: job.jobId });
      const removed = await one(job)
        .whereNotExists(targets.select(sql.raw('1')))
        .delete();
      if (removed === 0) await one(job).update({ purge_checked_at: sql.fn.now() });
    },
  };
}
