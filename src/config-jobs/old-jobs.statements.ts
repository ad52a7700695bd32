/** Text: the retention, which removes many targets at once. */
import { SETS_ALERTS, startsBefore } from './config-targets.statements.ts';

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
export const REMOVE_TARGETS = `
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
