/** Text: one statement counts sets of several tables at one moment, each by an index. */
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
  select 'profile:none', count(*) from device_configs
  where organization_id = :organizationId and is_active and not has_had_profile
  union all
  select 'alert:' || type, count(*) from alerts
  where organization_id = :organizationId and status in ('new', 'acknowledged') group by type
  union all
  select 'endpoint:' || ${HEALTH_STATE}, count(*) from endpoints ep
  where ep.organization_id = :organizationId and ep.deleted_at is null group by 1
  union all
  select 'unregistered:', count(*) from unregistered_devices u
  where u.organization_id = :organizationId and (
    select a.id from assets a where a.organization_id = u.organization_id
      and lower(a.serial_number) = u.serial_number and a.archived_at is null limit 1
  ) is null`;

/** Devices of all organizations by state, for metrics. */
export const COUNT_ALL = `
  select 'status:' || status as key, count(*) as count from device_states where is_active group by status
  union all
  select 'sync:' || sync_status, count(*) from device_configs where is_active group by sync_status`;
