import { acrossOrganizations, countUpTo, newestFirst, type Page } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { workOnDueRows } from '../db/due-rows.ts';
import type { Severity } from '../devices/alert-terms.ts';
import {
  type Alert,
  type AlertFilter,
  type AlertRef,
  type AlertStatus,
  type AlertType,
  COUNTED_MAX,
  WARNING_TYPES,
} from './alert.ts';
import { escalationOf, isMuted } from './alert-columns.ts';
import type { Handled } from './alert-handling.ts';

export type StoredAlert = Alert & { organizationId: string; isAnnounced: boolean };
/** With the time of recording, which the id contains. */
export type RecordedAlert = StoredAlert & { recordedAt: Date };

export interface OpenAlertCount {
  type: AlertType;
  severity: Severity;
  status: Exclude<AlertStatus, 'resolved'>;
  count: number;
  /** When the oldest of these alerts was recorded. */
  oldestAt: Date;
}

/** A row with the derived columns. */
type ShownRow = Columns<StoredAlert>;
type RecordedRow = Columns<RecordedAlert>;

declare module 'knex/types/tables.js' {
  interface Tables {
    alerts: Omit<ShownRow, 'muted' | 'escalation'>;
  }
}

const toAlert = (row: ShownRow): Alert => ({
  id: row.id,
  assetId: row.asset_id,
  serialNumber: row.serial_number,
  type: row.type,
  severity: row.severity,
  status: row.status,
  details: row.details,
  startedAt: row.started_at,
  updatedAt: row.updated_at,
  acknowledgedAt: row.acknowledged_at,
  acknowledgedBy: row.acknowledged_by,
  assignee: row.assignee,
  snoozeUntil: row.snooze_until,
  muted: row.muted,
  late: row.late,
  endedAt: row.ended_at ?? (row.status === 'resolved' ? row.updated_at : null),
  extreme: row.extreme,
  escalation: row.escalation,
});

/** Computed columns beside the row. */
const DERIVED = `${isMuted('alerts')} as muted, ${escalationOf('alerts')}`;
const RECORDED = `uuid_extract_timestamp(id) as recorded_at, ${DERIVED}`;

const toRecordedAlert = (row: RecordedRow): RecordedAlert => ({
  ...toAlert(row),
  organizationId: row.organization_id,
  isAnnounced: row.is_announced,
  recordedAt: row.recorded_at,
});

const IS_OLD = `status = 'resolved' and updated_at < now() - make_interval(days => :days)`;

/** Filters by time after the lock, so that the planner looks rows up by their ids. */
const REMOVE_OLD = `
  with locked as materialized (
    select a.organization_id, a.id, a.status, a.updated_at
    from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
    join alerts a on a.organization_id = n.organization_id and a.id = n.id
    for update of a skip locked
  ), old as (
    select organization_id, id from locked where ${IS_OLD}
  )
  delete from alerts a using old where a.organization_id = old.organization_id and a.id = old.id returning 1`;

export type AlertsRepository = ReturnType<typeof createAlertsRepository>;

export function createAlertsRepository(sql: Database) {
  const one = (organizationId: string, id: string) =>
    sql('alerts').where({ organization_id: organizationId, id });

  async function find(organizationId: string, id: string): Promise<RecordedAlert | null> {
    const row = await one(organizationId, id).first('*', sql.raw(RECORDED));
    return row ? toRecordedAlert(row) : null;
  }

  return {
    /** Newest first, with the total over all pages. */
    async list(
      organizationId: string,
      { assetId, groupId, before, limit, ...equal }: AlertFilter & Page,
    ): Promise<{ alerts: Alert[]; total: number }> {
      // The search for a warning among alerts that are all critical would read every one.
      if (equal.severity === 'warning' && equal.type && !WARNING_TYPES.includes(equal.type))
        return { alerts: [], total: 0 };
      const matching = sql('alerts').where({ ...equal, organization_id: organizationId });
      if (assetId !== undefined) matching.where({ asset_id: assetId });
      // Members of a deleted group have yet to leave it.
      if (groupId !== undefined)
        matching
          .whereIn(
            'asset_id',
            sql('assets').where({ organization_id: organizationId, group_id: groupId }).select('id'),
          )
          .whereExists(
            sql('groups')
              .where({ organization_id: organizationId, id: groupId, deleted_at: null })
              .select('id'),
          );
      const listed = matching
        .clone()
        .modify(newestFirst, { before, limit })
        .select<ShownRow[]>('*', sql.raw(DERIVED));
      const [rows, total] = await Promise.all([listed, countUpTo(sql, COUNTED_MAX, matching)]);
      return { alerts: rows.map(toAlert), total };
    },

    /** New ones, the oldest first. */
    async listOldestNew(
      organizationId: string,
      { limit, ...equal }: Pick<Alert, 'type' | 'severity'> & { limit: number },
    ): Promise<Alert[]> {
      const rows = await sql('alerts')
        .where({ ...equal, organization_id: organizationId, status: 'new' })
        .orderBy('id')
        .limit(limit)
        .select<ShownRow[]>('*', sql.raw(DERIVED));
      return rows.map(toAlert);
    },

    find,

    /**
     * Locks the row until the transaction ends. Derived columns come from another statement, because Citus locks and
     * updates rows only where all tables of the statement name the organization.
     */
    async lock(organizationId: string, id: string): Promise<RecordedAlert | null> {
      await one(organizationId, id).first('id').forNoKeyUpdate();
      return find(organizationId, id);
    },

    /** The caller has locked the alert. `at` is the time of the entry of its history. */
    async setHandled(organizationId: string, id: string, handled: Handled, at: Date): Promise<RecordedAlert> {
      await one(organizationId, id).update({
        status: handled.status,
        acknowledged_at: sql.raw('coalesce(acknowledged_at, ?)', [at]),
        acknowledged_by: handled.acknowledgedBy,
        assignee: handled.assignee,
        snooze_until: handled.snoozeUntil,
        updated_at: at,
      });
      return (await find(organizationId, id)) as RecordedAlert;
    },

    /** Alerts of all organizations whose snooze has ended, the earliest first. */
    listSnoozeEnded: (now: Date, limit: number): Promise<AlertRef[]> =>
      acrossOrganizations(sql('alerts'))
        .where({ status: 'acknowledged' })
        .where('snooze_until', '<=', now)
        .orderBy('snooze_until')
        .limit(limit)
        .select({ organizationId: 'organization_id', alertId: 'id' }),

    /**
     * Makes the alerts new again, unless they no longer match `listSnoozeEnded`, and adds that to their history. Needs a
     * transaction.
     */
    async endSnoozes(organizationId: string, alertIds: string[], now: Date): Promise<void> {
      const ended = await sql('alerts')
        .where({ organization_id: organizationId, status: 'acknowledged' })
        .whereIn('id', alertIds)
        .where('snooze_until', '<=', now)
        .update({
          status: 'new',
          acknowledged_at: null,
          acknowledged_by: null,
          snooze_until: null,
          updated_at: sql.fn.now(),
        })
        .returning('id');
      if (ended.length === 0) return;
      const action = { organization_id: organizationId, action: 'snooze_ended' as const };
      await sql('alert_actions').insert(ended.map(({ id }) => ({ ...action, alert_id: id })));
    },

    /** Metric: alerts of all organizations that are not resolved. */
    countOpen: (): Promise<OpenAlertCount[]> =>
      acrossOrganizations(sql('alerts'))
        .where('status', '<>', 'resolved')
        .groupBy('type', 'severity', 'status')
        .select('type', 'severity', 'status')
        .select(sql.raw('count(*), min(uuid_extract_timestamp(id)) as "oldestAt"')),

    /**
     * Removes alerts of all organizations that were resolved at least this many days ago. Returns their
     * number.
     */
    async removeResolved(days: number, limit: number): Promise<number> {
      const list = acrossOrganizations(sql('alerts'))
        .whereRaw(IS_OLD, { days })
        .orderBy('updated_at')
        .limit(limit)
        .select({ organizationId: 'organization_id', id: 'id' });
      return (await workOnDueRows(sql, { list, work: REMOVE_OLD }, { days })).length;
    },
  };
}
