/** What the page of a webhook shows beside the answers of operations. */
import type { Database } from '../db/database.ts';
import type { HourOfAttempts } from './webhook-hours.ts';

export type ShownWebhooksRepository = ReturnType<typeof createShownWebhooksRepository>;

export function createShownWebhooksRepository(sql: Database) {
  return {
    /** Whether deliveries are signed. The API does not show it. */
    async isSigned(organizationId: string, endpointId: string): Promise<boolean> {
      const found = await sql('endpoints')
        .where({ organization_id: organizationId, id: endpointId })
        .whereNotNull('secret')
        .first('id');
      return found !== undefined;
    },

    /** Oldest first; an hour without an attempt has no row. An endpoint has at most a week of hours. */
    async listHours(organizationId: string, endpointId: string, since: Date): Promise<HourOfAttempts[]> {
      return sql('endpoint_hours')
        .where({ organization_id: organizationId, endpoint_id: endpointId })
        .where('hour', '>=', since)
        .orderBy('hour')
        .select('hour', 'delivered', 'failed', {
          durationMs: 'duration_ms',
          durationMaxMs: 'duration_max_ms',
        });
    },
  };
}
