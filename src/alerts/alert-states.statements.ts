/** Text: statements on sets of devices, in batches of frames, which run no other kind. */
import { MONITORED_CONFIG_ID } from '../devices/device-sync.ts';

export const UPDATE_OPEN_ALERTS = `
  update device_states s set open_alerts = n.open_alerts
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :openAlerts::jsonb[])
    as n (organization_id, asset_id, open_alerts)
  where s.organization_id = n.organization_id and s.asset_id = n.asset_id`;

export const LOCK_OPEN_ALERTS = `
  select s.organization_id as "organizationId", s.asset_id as "assetId", s.open_alerts as "openAlerts"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  join device_states s on s.organization_id = n.organization_id and s.asset_id = n.asset_id
  order by s.organization_id, s.asset_id for no key update of s`;

export const SHARE_LOCK_MONITORED_CONFIGS = `
  select d.asset_id as "assetId", d.is_active as "isActive", ${MONITORED_CONFIG_ID} as "configId"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  join device_configs d on d.organization_id = n.organization_id and d.asset_id = n.asset_id
  for share of d skip locked`;
