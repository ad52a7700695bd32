/** As text, because each period ends where the next one begins, which takes a look-up of its own. */

/** More than any device has in months. */
const PERIODS_MAX = 1_000;

export const LIST = `
  select s.from_at as "from", next.from_at as "to", s.config_id as "configId",
    s.measurement_period_seconds as "measurementPeriodSeconds",
    s.transmission_interval_seconds as "transmissionIntervalSeconds", s.profile_slug as "profileSlug", s.source
  from device_settings s
  left join lateral (
    select from_at from device_settings
    where organization_id = s.organization_id and asset_id = s.asset_id and from_at > s.from_at
    order by from_at limit 1
  ) as next on true
  where s.organization_id = :organizationId and s.asset_id = :assetId and s.source is not null
    and s.from_at < coalesce(:to::timestamptz, 'infinity')
    and s.from_at >= coalesce((
      select max(from_at) from device_settings
      where organization_id = :organizationId and asset_id = :assetId and from_at <= :from::timestamptz
    ), '-infinity')
  order by s.from_at desc limit :limit`;

export const LIST_FROM = `
  select n.organization_id as "organizationId", n.asset_id as "assetId", s.*
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :from::timestamptz[])
    as n (organization_id, asset_id, first_at)
  cross join lateral (
    select from_at as "from", lead(from_at) over (order by from_at) as "to", config_id as "configId",
      measurement_period_seconds as "measurementPeriodSeconds",
      transmission_interval_seconds as "transmissionIntervalSeconds", profile_slug as "profileSlug", source
    from device_settings
    where organization_id = n.organization_id and asset_id = n.asset_id and from_at >= coalesce((
      select max(from_at) from device_settings
      where organization_id = n.organization_id and asset_id = n.asset_id and from_at <= n.first_at
    ), '-infinity')
    order by from_at limit ${PERIODS_MAX}
  ) as s
  where s.source is not null
  order by n.asset_id, s."from"`;
