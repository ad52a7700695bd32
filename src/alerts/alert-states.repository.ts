/** What the state and the configuration of a device tell about its alerts. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { MONITORED_CONFIG_ID } from '../devices/device-sync.ts';
import type { AlertState } from './open-alert.ts';

export interface OpenState extends AssetRef {
  openAlerts: AlertState[];
}

export interface MonitoredState {
  /** Not archived. */
  isActive: boolean;
  /** Null when the device has no configuration. */
  configId: string | null;
}

export type AlertStatesRepository = ReturnType<typeof createAlertStatesRepository>;

export function createAlertStatesRepository(sql: Sql) {
  return {
    /** The caller has locked the rows. */
    async updateOpenAlerts(states: OpenState[]): Promise<void> {
      if (states.length === 0) return;
      await query(
        sql,
        `update device_states s set open_alerts = n.open_alerts
         from unnest(?::uuid[], ?::uuid[], ?::jsonb[]) as n (organization_id, asset_id, open_alerts)
         where s.organization_id = n.organization_id and s.asset_id = n.asset_id`,
        [...keysOf(states), states.map(({ openAlerts }) => JSON.stringify(openAlerts))],
      );
    },

    /**
     * Locks devices without open alerts too: a frame that is opening one commits before this sees its state, and a later
     * frame is evaluated by what this transaction has changed.
     */
    lockOpenAlerts(devices: AssetRef[]): Promise<OpenState[]> {
      return query(
        sql,
        `select s.organization_id as "organizationId", s.asset_id as "assetId", s.open_alerts as "openAlerts"
         from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
         join device_states s on s.organization_id = n.organization_id and s.asset_id = n.asset_id
         order by s.organization_id, s.asset_id for no key update of s`,
        keysOf(devices),
      );
    },

    /**
     * By asset, its monitored configuration and whether it is active; nobody changes that until the end of the
     * transaction. Those that are being replaced are left out, so that a frame does not wait for a job: whoever replaces
     * alert rules waits for the states of the devices, and resolves what such a frame has opened.
     */
    async shareLockMonitoredConfigs(devices: AssetRef[]): Promise<Map<string, MonitoredState>> {
      const rows = await query<MonitoredState & { assetId: string }>(
        sql,
        `select d.asset_id as "assetId", d.is_active as "isActive", ${MONITORED_CONFIG_ID} as "configId"
         from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
         join device_configs d on d.organization_id = n.organization_id and d.asset_id = n.asset_id
         for share of d skip locked`,
        keysOf(devices),
      );
      return new Map(rows.map(({ assetId, ...state }) => [assetId, state]));
    },
  };
}

const keysOf = (devices: AssetRef[]): [string[], string[]] => [
  devices.map(({ organizationId }) => organizationId),
  devices.map(({ assetId }) => assetId),
];
