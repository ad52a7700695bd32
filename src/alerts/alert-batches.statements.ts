/** Text, because they work on sets, in the transaction of a batch. */
import { ALERT_COLUMNS } from './alert-columns.ts';

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

export const RESOLVE = `
  with resolved as (
    update alerts a set status = 'resolved', updated_at = now(), ended_at = greatest(a.started_at, coalesce(n.ended_at, now())),
      details = a.details || jsonb_strip_nulls(jsonb_build_object('resolution', n.resolution))
    from unnest(:organizationIds::uuid[], :alertIds::uuid[], :resolutions::text[], :endedAt::timestamptz[])
      as n (organization_id, alert_id, resolution, ended_at)
    where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
    returning a.*
  )
  select ${COLUMNS} from resolved a`;

/** For an alert that is not late, the last update is the time at which it was resolved. */
export const LENGTHEN = `
  update alerts a set started_at = n.started_at, ended_at = coalesce(n.ended_at, a.ended_at),
    extreme = coalesce(n.extreme, a.extreme), details = a.details || jsonb_build_object('value', n.value),
    updated_at = case when a.late or a.status <> 'resolved' then now() else a.updated_at end
  from unnest(:organizationIds::uuid[], :alertIds::uuid[], :startedAt::timestamptz[], :values::float8[],
      :endedAt::timestamptz[], :extremes::jsonb[])
    as n (organization_id, alert_id, started_at, value, ended_at, extreme)
  where a.organization_id = n.organization_id and a.id = n.alert_id`;

/**
 * Temperature alerts that began within the span, and the neighbours on both sides: an earlier one may last
 * into the span, and an excursion in the span may continue in a later one. A definition has one alert at a
 * time.
 */
export const LIST_AROUND = `
  select ${COLUMNS}
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :from::timestamptz[], :to::timestamptz[])
    as n (organization_id, asset_id, from_at, to_at)
  cross join lateral (
    (select * from alerts
     where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
       and started_at > n.from_at and started_at <= n.to_at)
    union all
    (select * from alerts
     where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
       and started_at <= n.from_at
     order by started_at desc limit 50)
    union all
    (select * from alerts
     where organization_id = n.organization_id and asset_id = n.asset_id and type in ('high_temp', 'low_temp')
       and started_at > n.to_at
     order by started_at limit 50)
  ) as a`;
