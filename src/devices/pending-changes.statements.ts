/** Text: profiles are applied to thousands of devices at once, each read with its asset by one look-up. */
import {
  ACTIVE_BY_SERIAL,
  LOCKED_IN_ORDER,
  REPLACE_SETTINGS,
  SETTINGS_COLUMNS,
  WITH_ASSET,
  WITH_RUNNING,
} from './device-row.ts';
import { OFFERED_STATUS } from './device-sync.ts';

const VARIANT_COLUMNS = `d.pending_config_id as "pendingConfigId", d.reported_config_id as "reportedConfigId",
  d.confirmed_config_id as "confirmedConfigId", a.model, d.reported_channel_types as "channelTypes", d.rule_slots as "ruleSlots",
  d.refused_keys as "refusedKeys"`;
const COLUMNS = `d.asset_id as "assetId", a.serial_number as "serialNumber", ${VARIANT_COLUMNS},
  d.is_inheriting as "isInheriting"`;
const DEVICES = `device_configs d ${WITH_ASSET}`;

const ARE_ACTIVE = `d.organization_id = :organizationId and d.is_active and a.archived_at is null`;
const OF_SERIALS = `d.asset_id = any (array(select id from ${ACTIVE_BY_SERIAL} as assets))`;
const OF_ASSETS = 'd.asset_id = any(:assetIds::uuid[])';
/** By id: in a free join, the planner expects one device if it does not know the organization. */
const ofMembers = (page: string) => `d.asset_id = any (array(
    select id from assets where organization_id = :organizationId and group_id = :groupId and archived_at is null ${page}
  ))`;

const listing = (condition: string, order: string) =>
  `select ${COLUMNS} from ${DEVICES} where ${ARE_ACTIVE} and ${condition} ${order}`;

export const LIST_SERIALS = listing(OF_SERIALS, '');
export const LOCK_SERIALS = listing(OF_SERIALS, LOCKED_IN_ORDER);
export const LOCK_ASSETS = listing(OF_ASSETS, LOCKED_IN_ORDER);
export const LIST_PAGE = listing('d.asset_id > :after', 'order by d.asset_id limit :limit');
export const LIST_PAGE_OF_GROUP = listing(
  ofMembers('and id > :after order by id limit :limit'),
  'order by d.asset_id',
);

/** A free join, because all assets are read: the planner hashes them. */
const counting = (condition: string) => `select ${VARIANT_COLUMNS}, count(*) as "deviceCount"
  from device_configs d join assets a on a.organization_id = d.organization_id and a.id = d.asset_id
  where ${ARE_ACTIVE} and ${condition}
  group by d.pending_config_id, d.reported_config_id, d.confirmed_config_id, a.model, d.reported_channel_types,
    d.rule_slots, d.refused_keys
  order by count(*) desc`;

export const COUNT_VARIANTS = counting('true');
export const COUNT_VARIANTS_OF_GROUP = counting(ofMembers(''));

/** Nothing is in force of what was withdrawn. */
const PROFILE_IN_FORCE =
  'case when n.config_id is not null then coalesce(j.profile_slug, r.profile_slug) end';

export const ASSIGN = `
  with changed as (update device_configs d set
      pending_config_id = c.id, fetched_at = null, contradiction_count = 0,
      failure_reason = case when c.refused_keys is null then null else coalesce(c.reason, failure_reason) end,
      refused_keys = string_to_array(btrim(c.refused_keys, '{}'), ','),
      revision = case when c.id is null then revision else revision + 1 end,
      is_inheriting = is_inheriting and c.id is not null,
      -- A confirmed configuration is no evidence, since the first report counts as confirmed.
      has_had_profile = c.id is not null and (has_had_profile or :isByJob) or (
        select true from device_settings
        where organization_id = d.organization_id and asset_id = d.asset_id
          and source = 'confirmed' and profile_slug is not null
        limit 1
      ) is not null,
      sync_status = ${OFFERED_STATUS},
      utc_offset_check_at = case
        when c.follows_time_zone or utc_offset_check_at is not null then '-infinity'::timestamptz end
    from unnest(:assetIds::uuid[], :positions::integer[]) as n (asset_id, position)
    join unnest(:organizationIds::uuid[], :configIds::uuid[], :refusedKeys::text[], :refusalReasons::text[],
        :followTimeZone::boolean[], :areRefused::boolean[], :measurementPeriods::integer[],
        :transmissionIntervals::integer[])
        with ordinality as c (organization_id, id, refused_keys, reason, follows_time_zone, is_refused,
          period_seconds, interval_seconds, position)
      on c.position = n.position
    where d.organization_id = c.organization_id and d.asset_id = n.asset_id
    returning d.organization_id, d.asset_id, c.id as config_id, c.period_seconds, c.interval_seconds,
      d.reported_config_id is null and d.confirmed_config_id is null as is_unreported
  )
  insert into device_settings (${SETTINGS_COLUMNS})
  select n.organization_id, n.asset_id, greatest(:at::timestamptz, r.from_at), n.config_id, n.measured,
    n.interval_seconds, ${PROFILE_IN_FORCE},
    case when n.config_id is not null then 'applied' when n.measured is not null then 'frame' end
  from changed d
  ${WITH_RUNNING}
  left join config_jobs j on j.organization_id = d.organization_id and j.id = :jobId::uuid
  cross join lateral (
    select d.*, coalesce(d.period_seconds, case when r.source = 'frame' or not exists (
      select from configurations
      where organization_id = d.organization_id and id = r.config_id and content -> 'measurementPeriodBase' is not null
    ) then r.measurement_period_seconds end) as measured
  ) as n
  where d.is_unreported
    and (r.config_id, r.measurement_period_seconds, r.transmission_interval_seconds, r.profile_slug)
      is distinct from
      (n.config_id, n.measured, n.interval_seconds, ${PROFILE_IN_FORCE})
  ${REPLACE_SETTINGS}`;
