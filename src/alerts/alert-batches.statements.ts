/**
 * Text, because they work on sets of many organizations, mostly in batches of frames. Updates take new values from a CTE,
 * because Citus refuses an update with a STABLE function of columns, or with `now()` in a condition.
 */
import { MONITORED_CONFIG_ID } from '../devices/device-sync.ts';
import { ALERT_COLUMNS, ENDED_AT } from './alert-columns.ts';

const COLUMNS = `${ALERT_COLUMNS}, a.organization_id as "organizationId", a.is_announced as "isAnnounced"`;

export const INSERT = `
  with n as materialized (
    select uuidv7() as id, n.* from unnest(:organizationIds::uuid[], :assetIds::uuid[], :serialNumbers::text[],
        :types::text[], :details::jsonb[], :startedAt::timestamptz[], :areAnnounced::boolean[], :severities::text[],
        :endedAt::timestamptz[], :extremes::jsonb[])
      with ordinality
      as n (organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity,
        ended_at, extreme, position)
  ), inserted as (
    insert into alerts
      (id, organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity,
        late, status, ended_at, extreme)
    select id, organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity,
      ended_at is not null, case when ended_at is null then 'new' else 'resolved' end, ended_at, extreme from n
    returning *
  )
  select i.*, n.position from (select ${COLUMNS} from inserted a) as i
  join n on n.organization_id = i."organizationId" and n.id = i.id order by n.position`;

export const ANNOUNCE = `
  with announced as (
    update alerts a set is_announced = true
    from unnest(:organizationIds::uuid[], :alertIds::uuid[]) as n (organization_id, alert_id)
    where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
    returning a.*
  )
  select ${COLUMNS} from announced a order by a.id`;

/** The transaction may have begun before the handling of the alert that it waited for: no alert is resolved before that. */
export const RESOLVE = `
  with n as materialized (
    select organization_id, alert_id, details, coalesce(ended_at, now()) as ended_at, now() as at
    from unnest(:organizationIds::uuid[], :alertIds::uuid[], :details::jsonb[], :endedAt::timestamptz[])
      as n (organization_id, alert_id, details, ended_at)
  ), resolved as (
    update alerts a set status = 'resolved', updated_at = greatest(n.at, a.updated_at), ended_at = greatest(a.started_at, n.ended_at),
      details = a.details || n.details
    from n
    where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
    returning a.*
  )
  select ${COLUMNS} from resolved a`;

/** For an alert that is not late, the last update is the time at which it was resolved. */
export const LENGTHEN = `
  with n as materialized (
    select *, now() as at
    from unnest(:organizationIds::uuid[], :alertIds::uuid[], :startedAt::timestamptz[], :details::jsonb[],
        :endedAt::timestamptz[], :extremes::jsonb[])
      as n (organization_id, alert_id, started_at, details, ended_at, extreme)
  )
  update alerts a set started_at = n.started_at, ended_at = coalesce(n.ended_at, a.ended_at),
    extreme = coalesce(n.extreme, a.extreme), details = a.details || n.details,
    updated_at = case when a.late or a.status <> 'resolved' then n.at else a.updated_at end
  from n
  where a.organization_id = n.organization_id and a.id = n.alert_id`;

/**
 * The latest temperature alerts that began within the span, up to a number, neighbours on both sides, because an excursion in the span may continue in
 * a later one, and of the last 1,000 before the span those that last into it: no index finds these alone.
 */
export const LIST_AROUND = `
  select a.id, a.asset_id as "assetId", a.type, a.severity, a.details, a.started_at as "startedAt", a.late,
    ${ENDED_AT} as "endedAt", a.extreme
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :from::timestamptz[], :to::timestamptz[])
    as n (organization_id, asset_id, from_at, to_at)
  cross join lateral (
    (select * from alerts
     where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
       and started_at > n.from_at and started_at <= n.to_at
     order by started_at desc limit :alertsMax)
    union all (
      (select * from alerts
       where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
         and started_at <= n.from_at
       order by started_at desc limit 50)
      union
      (select * from (
         select * from alerts
         where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
           and started_at <= n.from_at
         order by started_at desc limit 1000
       ) as earlier where status <> 'resolved' or ended_at >= n.from_at)
    )
    union all
    (select * from alerts
     where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
       and started_at > n.to_at
     order by started_at limit 50)
  ) as a`;

export const UPDATE_OPEN_ALERTS = `
  update device_states s set open_alerts = n.open_alerts, excursions = n.excursions
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :openAlerts::jsonb[], :excursions::jsonb[])
    as n (organization_id, asset_id, open_alerts, excursions)
  where s.organization_id = n.organization_id and s.asset_id = n.asset_id`;

export const LOCK_OPEN_ALERTS = `
  select s.organization_id as "organizationId", s.asset_id as "assetId",
    s.excursions || s.open_alerts as "openAlerts"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  join device_states s on s.organization_id = n.organization_id and s.asset_id = n.asset_id
  order by s.organization_id, s.asset_id for no key update of s`;

export const LIST_UNANNOUNCED = `
  select n.asset_id as "assetId"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  cross join lateral (
    select is_announced from alerts
    where organization_id = n.organization_id and asset_id = n.asset_id and type = 'no_data'
    order by id desc limit 1
  ) as latest
  where not latest.is_announced`;

export const SHARE_LOCK_MONITORED_CONFIGS = `
  select d.asset_id as "assetId", d.is_active as "isActive", ${MONITORED_CONFIG_ID} as "configId"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  join device_configs d on d.organization_id = n.organization_id and d.asset_id = n.asset_id
  for share of d skip locked`;
