/** Alerts and comments of one asset within a span, for its curve. */
import type { Alert } from '../alerts/alert.ts';
import { ENDED_AT } from '../alerts/alert-columns.ts';
import type { AlertAction } from '../alerts/alert-history.ts';
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { CurveSpan } from './curve-span.ts';

export type MarkedAlert = Pick<Alert, 'id' | 'type' | 'details' | 'startedAt' | 'endedAt'>;

export interface AlertComment extends Pick<AlertAction, 'at' | 'by'> {
  alertId: string;
  comment: string;
}

const ALERTS_MAX = 500;
const COMMENTS_MAX = 200;

export type CurveMarksRepository = ReturnType<typeof createCurveMarksRepository>;

export function createCurveMarksRepository(sql: Database) {
  return {
    /** The newest ones that were open within the span. */
    async listAlerts(
      organizationId: string,
      assetId: string,
      { from, to }: Pick<CurveSpan, 'from' | 'to'>,
    ): Promise<MarkedAlert[]> {
      return sql('alerts')
        .where({ organization_id: organizationId, asset_id: assetId })
        .where('started_at', '<', to)
        .whereRaw(`coalesce(${ENDED_AT}, 'infinity') > ?::timestamptz`, [from])
        .orderBy('id', 'desc')
        .limit(ALERTS_MAX)
        .select<MarkedAlert[]>(
          'id',
          'type',
          'details',
          { startedAt: 'started_at' },
          sql.raw(`${ENDED_AT} as "endedAt"`),
        );
    },

    /** Comments on these alerts, the newest first. The id of a row contains its time. */
    async listComments(
      organizationId: string,
      alertIds: readonly string[],
      { from, to }: Pick<CurveSpan, 'from' | 'to'>,
    ): Promise<AlertComment[]> {
      if (alertIds.length === 0) return [];
      return sql('alert_actions')
        .where({ organization_id: organizationId, action: 'commented' })
        .where(oneOf('alert_id', alertIds))
        .whereRaw('uuid_extract_timestamp(id) between ?::timestamptz and ?::timestamptz', [from, to])
        .orderBy('id', 'desc')
        .limit(COMMENTS_MAX)
        .select<AlertComment[]>(
          { alertId: 'alert_id', by: 'actor' },
          sql.raw("coalesce(comment, '') as comment, uuid_extract_timestamp(id) as at"),
        );
    },
  };
}
