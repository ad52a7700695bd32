/** Rows that the start page shows beside the answers of operations. */
import type { Database } from '../db/database.ts';
import type { DeviceStatus } from '../presence/presence.ts';

/** A channel that was notified of an alert, or is going to be. */
export interface AlertNotification {
  alertId: string;
  channelId: string;
  notifiedAt: Date | null;
  dueAt: Date | null;
}

export interface OpenAlerts {
  /** New ones. */
  byType: ReadonlyMap<string, number>;
  acknowledged: number;
}

export type StartRepository = ReturnType<typeof createStartRepository>;

export function createStartRepository(sql: Database) {
  return {
    async listNotifications(
      organizationId: string,
      alertIds: readonly string[],
    ): Promise<AlertNotification[]> {
      const rows = await sql('notification_alerts')
        .where({ organization_id: organizationId, kind: 'opening' })
        .whereRaw('alert_id = any(?::uuid[])', [[...alertIds]])
        .select('alert_id', 'channel_id', 'notified_at', 'due_at');
      return rows.map((row) => ({
        alertId: row.alert_id,
        channelId: row.channel_id,
        notifiedAt: row.notified_at,
        dueAt: row.due_at,
      }));
    },

    /** Number of alerts that need somebody, by type, and of those that somebody takes care of. */
    async countOpenAlerts(organizationId: string): Promise<OpenAlerts> {
      const rows = await sql('alerts')
        .where({ organization_id: organizationId })
        .whereIn('status', ['new', 'acknowledged'])
        .groupBy('type', 'status')
        .select('type', 'status')
        .count({ count: '*' });
      const counts = rows.map(({ type, status, count }) => ({
        type: String(type),
        status,
        count: Number(count),
      }));
      return {
        byType: new Map(
          counts.filter(({ status }) => status === 'new').map(({ type, count }) => [type, count]),
        ),
        acknowledged: counts
          .filter(({ status }) => status === 'acknowledged')
          .reduce((total, { count }) => total + count, 0),
      };
    },

    /** Number of devices by status. */
    async countDevices(organizationId: string): Promise<Partial<Record<DeviceStatus, number>>> {
      const rows: Array<{ status: DeviceStatus; count: string }> = await sql('device_states')
        .where({ organization_id: organizationId, is_active: true })
        .groupBy('status')
        .select('status', sql.raw('count(*)') as never);
      return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
    },

    /** At most `max`, so that a large fleet is not counted to its end. */
    async countInContact(organizationId: string, since: Date, max: number): Promise<number> {
      const inContact = sql('device_states')
        .where({ organization_id: organizationId, is_active: true })
        .where('last_contact_at', '>=', since)
        .select('asset_id')
        .limit(max);
      const [row] = await sql.from(inContact.as('in_contact')).count({ count: '*' });
      return Number(row?.count ?? 0);
    },
  };
}
