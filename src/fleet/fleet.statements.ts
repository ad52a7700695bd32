/** Text: one statement counts sets of several tables at one moment, each by an index. */
import { IS_UNREGISTERED } from '../devices/unregistered-devices.statements.ts';
import { HEALTH_STATE } from '../endpoints/shown-health.ts';

/** Devices, open alerts and endpoints by state, and unregistered devices. */
export const COUNT = `
  select 'status:' || status as key, count(*) as count from device_states
  where organization_id = :organizationId and is_active group by status
  union all
  select 'battery:' || battery_status, count(*) from device_states
  where organization_id = :organizationId and is_active group by battery_status
  union all
  select 'sync:' || sync_status, count(*) from device_configs
  where organization_id = :organizationId and is_active group by sync_status
  union all
  select 'unprofiled:' || sync_status, count(*) from device_configs
  where organization_id = :organizationId and is_active and not has_had_profile group by sync_status
  union all
  select 'alert:' || type, count(*) from alerts
  where organization_id = :organizationId and status in ('new', 'acknowledged') group by type
  union all
  select 'endpoint:' || ${HEALTH_STATE}, count(*) from endpoints ep
  where ep.organization_id = :organizationId and ep.deleted_at is null group by 1
  union all
  select 'unregistered:', count(*) from unregistered_devices u
  where u.organization_id = :organizationId and ${IS_UNREGISTERED}`;

/** The same of the members of a group, without endpoints and unregistered devices. */
export const COUNT_MEMBERS = `
  with members as materialized (
    select a.id, s.status, s.battery_status, d.sync_status, d.has_had_profile from assets a
    join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
    join device_configs d on d.organization_id = a.organization_id and d.asset_id = a.id
    where a.organization_id = :organizationId and a.group_id = :groupId and exists (
      select 1 from groups where organization_id = :organizationId and id = :groupId and deleted_at is null)
  )
  select 'status:' || status as key, count(*) as count from members group by status
  union all
  select 'battery:' || battery_status, count(*) from members group by battery_status
  union all
  select 'sync:' || sync_status, count(*) from members group by sync_status
  union all
  select 'unprofiled:' || sync_status, count(*) from members where not has_had_profile group by sync_status
  union all
  select 'alert:' || type, count(*) from alerts
  where organization_id = :organizationId and status in ('new', 'acknowledged')
    and asset_id in (select id from members) group by type`;

/** Devices of all organizations by state, for metrics. */
export const COUNT_ALL = `
  select 'status:' || status as key, count(*) as count from device_states where is_active group by status
  union all
  select 'sync:' || sync_status, count(*) from device_configs where is_active group by sync_status`;
