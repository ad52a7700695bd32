/** What of the states of devices belongs to alerts: which are open, and whose time has passed. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { MONITORED_CONFIG_ID } from '../devices/device-sync.ts';
import type { Outage } from '../presence/ingress-availability.ts';

/** A device whose expected contact was missed. */
export interface OverdueDevice {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  openAlerts: unknown;
  expectedBy: Date;
}

export interface OverdueQuery {
  now: Date;
  /** When no device could be heard, without overlap. */
  outages: Outage[];
  limit: number;
}

export interface OpenState {
  assetId: string;
  openAlerts: unknown;
}

export type AlertStatesRepository = ReturnType<typeof createAlertStatesRepository>;

export function createAlertStatesRepository(sql: Sql) {
  return {
    /** The rows are held by the caller. */
    async updateOpenAlerts(states: OpenState[]): Promise<void> {
      if (states.length === 0) return;
      await query(
        sql,
        `update device_states s set open_alerts = n.open_alerts
         from unnest(?::uuid[], ?::jsonb[]) as n (asset_id, open_alerts) where s.asset_id = n.asset_id`,
        [states.map(({ assetId }) => assetId), states.map(({ openAlerts }) => JSON.stringify(openAlerts))],
      );
    },

    /** Of those that have any; who opens one meanwhile holds the rules and finds them changed, see `shareLockRules`. */
    lockOpenAlerts(assetIds: string[]): Promise<OpenState[]> {
      return query(
        sql,
        `select asset_id as "assetId", open_alerts as "openAlerts" from device_states
         where asset_id = any(?::uuid[]) and open_alerts <> '[]' order by asset_id for no key update`,
        [assetIds],
      );
    },

    /**
     * The rules that guard these devices, by id, null of an archived one; nobody replaces them until the end of the
     * transaction. Those that are being replaced are left out: a frame never waits for a job that changes many devices.
     */
    async shareLockRules(assetIds: string[]): Promise<Map<string, string | null>> {
      const rows = await query<{ assetId: string; rulesId: string | null }>(
        sql,
        `select asset_id as "assetId",
           case when is_active then ${MONITORED_CONFIG_ID} end as "rulesId"
         from device_configs where asset_id = any(?::uuid[]) for share skip locked`,
        [assetIds],
      );
      return new Map(rows.map(({ assetId, rulesId }) => [assetId, rulesId]));
    },

    /** Locks devices whose time has passed, and marks them offline. Their time stands still while nobody listens. */
    markOverdueOffline({ now, outages, limit }: OverdueQuery): Promise<OverdueDevice[]> {
      return query(
        sql,
        `with silent as (
           select s.asset_id from device_states s
           where s.status = 'online' and s.expected_by < ?::timestamptz
             and s.expected_by + (
               select coalesce(sum(ended - greatest(began, s.last_contact_at)), '0')
               from unnest(?::timestamptz[], ?::timestamptz[]) as deaf (began, ended) where ended > s.last_contact_at
             ) < ?::timestamptz
             and exists (select from assets a where a.id = s.asset_id and a.archived_at is null)
           order by s.asset_id limit ? for no key update skip locked
         )
         update device_states s set status = 'offline' from silent join assets a on a.id = silent.asset_id
         where s.asset_id = silent.asset_id
         returning s.asset_id as "assetId", s.organization_id as "organizationId",
           a.serial_number as "serialNumber", s.open_alerts as "openAlerts", s.expected_by as "expectedBy"`,
        [
          now.toISOString(),
          outages.map(({ beganAt }) => beganAt.toISOString()),
          outages.map(({ endedAt }) => endedAt.toISOString()),
          now.toISOString(),
          limit,
        ],
      );
    },
  };
}
