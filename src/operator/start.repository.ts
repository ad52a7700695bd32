/** Rows that the start page shows beside the answers of operations. */
import type { Alert } from '../alerts/alert.ts';
import { countUpTo } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { IN_CONTACT_MAX } from './counts.ts';

/** A number of new alerts. */
export interface NewAlerts extends Pick<Alert, 'type' | 'severity'> {
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
  /** Number of devices that have missed their contact, counted up to `IN_CONTACT_MAX`: at first, and later if more are not back. */
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

const IN_ALL = 'count(*) over (partition by status) as "inAll"';
const POSITION = 'row_number() over (partition by status order by id desc) as position';

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
        .first('since', { atFirst: 'overdue_count', total: 'total_count', alertId: 'escalated_alert_id' });
      if (!found) return null;
      const unannounced = sql('alerts')
        .where({ organization_id: organizationId })
        .whereRaw(`not is_announced and status <> 'resolved'`);
      const { atFirst, ...outage } = found;
      // The alerts of an outage are stored after it, and gradually.
      return { ...outage, overdue: Math.max(atFirst, await countUpTo(sql, IN_CONTACT_MAX, unannounced)) };
    },

    /**
     * Running jobs with devices that failed, and those that ended since then with failures, up to the limit of each status;
     * newest first. Ended jobs that a later one retries are left out.
     */
    listTroubledJobs(
      organizationId: string,
      { since, limit }: { since: Date; limit: number },
    ): Promise<TroubledJob[]> {
      const own = { organization_id: organizationId };
      const jobs = () => sql('config_jobs').where(own).select('id', 'status');
      // Failed targets have a reason, and an index with it.
      const failed = sql('config_targets')
        .where({ ...own, job_id: sql.ref('config_jobs.id'), state: 'failed' })
        .whereNotNull('reason');
      const retry = sql({ retry: 'config_jobs' }).where({
        'retry.organization_id': organizationId,
        'retry.retry_of_job_id': sql.ref('config_jobs.id'),
      });
      const ended = jobs().whereIn('status', ['aborted', 'completed_with_failures']);
      const troubled = sql.unionAll([
        jobs().where({ status: 'running' }).whereExists(failed),
        ended.where('finished_at', '>', since).whereNotExists(retry),
      ]);
      const counted = sql
        .from(troubled.as('troubled'))
        .select('id', 'status', sql.raw(IN_ALL), sql.raw(POSITION));
      return sql
        .from(counted.as('counted'))
        .where('position', '<=', limit)
        .orderBy('id', 'desc')
        .select('id', 'status', 'inAll');
    },

    /** At most `IN_CONTACT_MAX`, so that a large fleet is not counted to its end. */
    countInContact(organizationId: string, since: Date): Promise<number> {
      const inContact = sql('device_states')
        .where({ organization_id: organizationId, is_active: true })
        .where('last_contact_at', '>=', since);
      return countUpTo(sql, IN_CONTACT_MAX, inContact);
    },
  };
}
