import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { HourOfAttempts } from './webhook-hours.ts';

export type WebhookHoursRepository = ReturnType<typeof createWebhookHoursRepository>;

export function createWebhookHoursRepository(sql: Sql) {
  return {
    /** Oldest first; an hour without an attempt has no row. An endpoint has at most those of a week. */
    list(organizationId: string, endpointId: string, since: Date): Promise<HourOfAttempts[]> {
      return query(
        sql,
        `select hour, delivered, failed, duration_ms::float8 as "durationMs", duration_max_ms as "durationMaxMs"
         from endpoint_hours where organization_id = ? and endpoint_id = ? and hour >= ?::timestamptz
         order by hour`,
        [organizationId, endpointId, since.toISOString()],
      );
    },
  };
}
