/** What the state and the configuration of a device tell about its alerts. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import {
  LOCK_OPEN_ALERTS,
  SHARE_LOCK_MONITORED_CONFIGS,
  UPDATE_OPEN_ALERTS,
} from './alert-states.statements.ts';
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
      const openAlerts = states.map((state) => JSON.stringify(state.openAlerts));
      await query(sql, UPDATE_OPEN_ALERTS, { ...keysOf(states), openAlerts });
    },

    /**
     * Locks devices without open alerts too: a frame that is opening one commits before this sees its state, and a later
     * frame is evaluated by what this transaction has changed.
     */
    lockOpenAlerts: (devices: AssetRef[]): Promise<OpenState[]> =>
      query(sql, LOCK_OPEN_ALERTS, keysOf(devices)),

    /**
     * By asset, its monitored configuration and whether it is active, locked until the end of the transaction. Rows that
     * a job has locked are left out, so that a frame does not wait for it: the job then waits for the states of the
     * devices, and resolves the alerts that the frame has opened.
     */
    async shareLockMonitoredConfigs(devices: AssetRef[]): Promise<Map<string, MonitoredState>> {
      const rows = await query<MonitoredState & { assetId: string }>(
        sql,
        SHARE_LOCK_MONITORED_CONFIGS,
        keysOf(devices),
      );
      return new Map(rows.map(({ assetId, ...state }) => [assetId, state]));
    },
  };
}

const keysOf = (devices: AssetRef[]) => ({
  organizationIds: devices.map(({ organizationId }) => organizationId),
  assetIds: devices.map(({ assetId }) => assetId),
});
