/** Rows that the start page shows beside the answers of operations. */
import type { AlertType } from '../alerts/alert.ts';
import { countUpTo } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Severity } from '../devices/alert-terms.ts';
import { IN_CONTACT_MAX } from './counts.ts';

/** A number of new alerts. */
export interface NewAlerts {
  type: AlertType;
  severity: Severity;
  count: number;
}

export interface OpenAlerts {
  new: readonly NewAlerts[];
  acknowledged: number;
}

/** More devices are overdue at once than devices themselves can explain. */
export interface Outage {
  /** The first missed deadline. */
  since: Date;
  /** Number of devices that have missed their contact and are not back. */
  overdue: number;
  /** Number of active devices when it was detected. */
  total: number;
  /** The alert that escalates for all; null: none does. */
  alertId: string | null;
}

/** A job with failures. */
export interface TroubledJob {
  id: string;
  status: 'running' | 'aborted' | 'completed_with_failures';
  /** Number of such jobs with this status. */
  inAll: number;
}

/** The newest ones of each status; those that were retried, by a later job, are in hand. Failed targets have a reason, and an index with it. */
const LIST_TROUBLED_JOBS = `
  select id, status, "inAll" from (
    select id, status, count(*) over (partition by status) as "inAll",
      row_number() over (partition by status order by id desc) as place
    from (
      select id, status from config_jobs j
      where organization_id = :organizationId and status = 'running' and exists (
        select from config_targets
        where organization_id = j.organization_id and job_id = j.id and state = 'failed' and reason is not null
      )
      union all
      select id, status from config_jobs j
      where organization_id = :organizationId and status in ('aborted', 'completed_with_failures')
        and finished_at > :since and not exists (
          select from config_jobs retry
          where retry.organization_id = j.organization_id and retry.retry_of_job_id = j.id
        )
    ) as troubled
  ) as placed
  where place <= :limit order by id desc`;

export type StartRepository = ReturnType<typeof createStartRepository>;

export function createStartRepository(sql: Database) {
  return {
    /** Number of alerts that need somebody, by type and severity, and of those that somebody takes care of. */
    async countOpenAlerts(organizationId: string): Promise<OpenAlerts> {
      const rows = await sql('alerts')
        .where({ organization_id: organizationId })
        .whereIn('status', ['new', 'acknowledged'])
        .groupBy('type', 'severity', 'status')
        .select('type', 'severity', 'status')
        .count({ count: '*' });
      const counts = rows.map((row) => ({ ...row, count: Number(row.count) }));
      return {
        new: counts.filter(({ status }) => status === 'new'),
        acknowledged: counts
          .filter(({ status }) => status === 'acknowledged')
          .reduce((total, { count }) => total + count, 0),
      };
    },

    /** Null: there is none, or somebody has confirmed that its devices are offline. */
    async findOutage(organizationId: string): Promise<Outage | null> {
      const found = await sql('overdue_fleets')
        .where({ organization_id: organizationId, confirmed_at: null })
        .first('since', { total: 'total_count', alertId: 'escalated_alert_id' });
      if (!found) return null;
      const unannounced = sql('alerts')
        .where({ organization_id: organizationId })
        .whereRaw(`not is_announced and status <> 'resolved'`);
      return { ...found, overdue: await countUpTo(sql, found.total, unannounced) };
    },

    /** Running jobs with devices that failed, and those that ended since then with failures; newest first. */
    listTroubledJobs: (
      organizationId: string,
      { since, limit }: { since: Date; limit: number },
    ): Promise<TroubledJob[]> => query(sql, LIST_TROUBLED_JOBS, { organizationId, since, limit }),

    /** At most `IN_CONTACT_MAX`, so that a large fleet is not counted to its end. */
    async countInContact(organizationId: string, since: Date): Promise<number> {
      const inContact = sql('device_states')
        .where({ organization_id: organizationId, is_active: true })
        .where('last_contact_at', '>=', since)
        .select('asset_id')
        .limit(IN_CONTACT_MAX);
      const [row] = await sql.from(inContact.as('in_contact')).count({ count: '*' });
      return Number(row?.count ?? 0);
    },
  };
}
