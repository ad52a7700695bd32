/** Text: statements on sets of devices. */
import { SETS_ALERTS, startOf } from './config-targets.statements.ts';

/** The device has run the change, or is offered it; one that it had refused may have been confirmed since. */
const MAY_RUN = `(t.confirmed_at is not null
    or t.is_active and t.state in ('waiting', 'sent', 'timed_out', 'superseded'))
  and 'calendars' <> all(coalesce(t.lost_keys, '{}'))`;
/** Null: always on. */
const ZONE = `j.profile_snapshot -> 'schedule' ->> 'timezone'`;
const LAST_ZONE = `
  select ${ZONE} as zone
  from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
  where t.organization_id = d.organization_id and t.asset_id = d.asset_id and ${MAY_RUN} and ${SETS_ALERTS}
  order by ${startOf('j')} desc, t.job_id desc limit 1`;

export const PLAN_OFFSET_CHECKS = `
  update device_configs d set utc_offset_check_at = n.check_at
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :checkAt::timestamptz[])
    as n (organization_id, asset_id, check_at)
  where d.organization_id = n.organization_id and d.asset_id = n.asset_id`;

export const FIND_ZONES = `
  select d.asset_id as "assetId", last.zone
  from (select :organizationId::uuid as organization_id, unnest(:assetIds::uuid[]) as asset_id) as d
  cross join lateral (${LAST_ZONE}) as last`;
