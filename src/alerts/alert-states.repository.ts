/** The state and the configuration of a device, as far as its alerts depend on them. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import {
  LOCK_OPEN_ALERTS,
  SHARE_LOCK_MONITORED_CONFIGS,
  UPDATE_OPEN_ALERTS,
} from './alert-states.statements.ts';
import type { AlertState } from './open-alert.ts';

export interface OpenState extends AssetRef {
  openAlerts: AlertState[];
}

interface MonitoredState {
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
      const openAlerts = states.map((state) => JSON.stringify(state.openAlerts));
      await query(sql, UPDATE_OPEN_ALERTS, { ...assetKeys(states), openAlerts });
    },

    /**
     * Also locks devices without open alerts: a frame that is opening one commits before this statement reads
     * its state, and later frames are evaluated by the changes of this transaction.
     */
    lockOpenAlerts: (devices: AssetRef[]): Promise<OpenState[]> =>
      query(sql, LOCK_OPEN_ALERTS, assetKeys(devices)),

    /**
     * Reads, per asset, the monitored configuration and whether the asset is active, and keeps both from
     * changing until the transaction ends. Skips rows that are being changed, so that a frame never waits for
     * a job: the transaction that replaces alert rules waits for the states of the devices, and resolves
     * alerts that such a frame has opened.
     */
    async shareLockMonitoredConfigs(devices: AssetRef[]): Promise<Map<string, MonitoredState>> {
      const rows = await query<MonitoredState & { assetId: string }>(
        sql,
        SHARE_LOCK_MONITORED_CONFIGS,
        assetKeys(devices),
      );
      return new Map(rows.map(({ assetId, ...state }) => [assetId, state]));
    },
  };
}
