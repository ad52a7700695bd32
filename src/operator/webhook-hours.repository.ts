import type { Database } from '../db/database.ts';
import type { HourOfAttempts } from './webhook-hours.ts';

export type WebhookHoursRepository = ReturnType<typeof createWebhookHoursRepository>;

export function createWebhookHoursRepository(sql: Database) {
  return {
    /** Oldest first; an hour without an attempt has no row. An endpoint has at most a week of hours. */
    async list(organizationId: string, endpointId: string, since: Date): Promise<HourOfAttempts[]> {
      const rows = await sql('endpoint_hours')
        .where({ organization_id: organizationId, endpoint_id: endpointId })
        .where('hour', '>=', since)
        .orderBy('hour');
      return rows.map((row) => ({
        hour: row.hour,
        delivered: row.delivered,
        failed: row.failed,
        durationMs: row.duration_ms,
        durationMaxMs: row.duration_max_ms,
      }));
    },
  };
}
