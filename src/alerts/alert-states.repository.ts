/** The state and the configuration of a device, as far as its alerts depend on them. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { MONITORED_CONFIG_ID } from '../devices/device-sync.ts';
import type { AlertState } from './open-alert.ts';

export interface OpenState extends AssetRef {
  openAlerts: AlertState[];
}

export interface MonitoredState {
  /** Whether the asset is not archived. */
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
     * Also locks devices without open alerts: a frame that is opening one commits before this statement reads
     * its state, and later frames are evaluated by the changes of this transaction.
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
     * Reads, per asset, the monitored configuration and whether the asset is active, and keeps both from
     * changing until the transaction ends. Skips rows that are being changed, so that a frame never waits for
     * a job: the transaction that replaces alert rules waits for the states of the devices, and resolves
     * alerts that such a frame has opened.
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
