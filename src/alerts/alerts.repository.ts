import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { alertsBy } from '../db/kept-totals.ts';
import { query } from '../db/query.ts';
import type { Severity } from '../devices/alert-terms.ts';
import {
  ALERT_STATUSES,
  type Alert,
  type AlertDetails,
  type AlertResolution,
  type AlertStatus,
  type AlertType,
} from './alert.ts';
import { ALERT_COLUMNS } from './alert-columns.ts';
import type { Handled } from './alert-handling.ts';

export interface NewAlert {
  organizationId: string;
  assetId: string;
  serialNumber: string;
  type: AlertType;
  details: AlertDetails;
  startedAt: Date;
  severity: Severity;
  /** False: its events are not published. */
  isAnnounced: boolean;
}

export interface AlertRef {
  organizationId: string;
  alertId: string;
}

export interface ResolvedAlertRef extends AlertRef {
  /** Added to the details of the alert. */
  resolution?: AlertResolution | null;
}

export interface AlertFilter {
  status: AlertStatus | null;
  type: AlertType | null;
  severity: Severity | null;
  assetId: string | null;
  /** Ids before this one. */
  before: string | null;
  limit: number;
}

export type StoredAlert = Alert & { organizationId: string; isAnnounced: boolean; recordedAt: Date };

const COLUMNS = `${ALERT_COLUMNS}, a.organization_id as "organizationId", a.is_announced as "isAnnounced",
  uuid_extract_timestamp(a.id) as "recordedAt"`;
const ONE = 'a.organization_id = ? and a.id = ?';
const MATCHING = `organization_id = ? and (?::text is null or status = ?) and (?::text is null or type = ?)
  and (?::text is null or severity = ?) and (?::uuid is null or asset_id = ?)`;

/**
 * By status, and by type and status; see the table list_totals. Those of one asset are few enough to be counted, and those of
 * one severity are counted as well.
 */
const KEPT_TOTAL = `select coalesce(sum(count), 0)::bigint as total from (
    select total as count from list_totals where organization_id = ? and list = 'alerts' and key = any(?::text[])
    union all
    select change from list_changes where organization_id = ? and list = 'alerts' and key = any(?::text[])
  ) as kept`;
const COUNTED_TOTAL = `select count(*) as total from alerts where ${MATCHING}`;

export type AlertsRepository = ReturnType<typeof createAlertsRepository>;

export function createAlertsRepository(sql: Sql) {
  return {
    /** Newest first, and how many match on all pages. */
    async list(
      organizationId: string,
      { status, type, severity, assetId, before, limit }: AlertFilter,
    ): Promise<{ alerts: Alert[]; total: number }> {
      const scope = [organizationId, status, status, type, type, severity, severity, assetId, assetId];
      const isKept = assetId === null && severity === null;
      const keys = toTotalKeys(status, type);
      const rows = await query<StoredAlert & { total: number }>(
        sql,
        `select page.*, total from (${isKept ? KEPT_TOTAL : COUNTED_TOTAL}) as counted
         left join (
           select ${COLUMNS} from alerts a where ${MATCHING} and (?::uuid is null or id < ?)
           order by id desc limit ?
         ) as page on true
         order by page.id desc`,
        [...(isKept ? [organizationId, keys, organizationId, keys] : scope), ...scope, before, before, limit],
      );
      return { alerts: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
    },

    async find(organizationId: string, id: string): Promise<StoredAlert | null> {
      const [row] = await query<StoredAlert>(sql, `select ${COLUMNS} from alerts a where ${ONE}`, [
        organizationId,
        id,
      ]);
      return row ?? null;
    },

    /** Until the end of the transaction nobody else changes it. */
    async lock(organizationId: string, id: string): Promise<StoredAlert | null> {
      const [row] = await query<StoredAlert>(
        sql,
        `select ${COLUMNS} from alerts a where ${ONE} for no key update`,
        [organizationId, id],
      );
      return row ?? null;
    },

    /** The caller has locked it. */
    async setHandled(organizationId: string, id: string, handled: Handled): Promise<StoredAlert> {
      const [row] = await query<StoredAlert>(
        sql,
        `update alerts a set status = ?, acknowledged_at = ?::timestamptz, acknowledged_by = ?::jsonb, assignee = ?,
           snooze_until = ?::timestamptz, updated_at = now()
         where ${ONE} returning ${COLUMNS}`,
        [
          handled.status,
          handled.acknowledgedAt?.toISOString() ?? null,
          handled.acknowledgedBy && JSON.stringify(handled.acknowledgedBy),
          handled.assignee,
          handled.snoozeUntil?.toISOString() ?? null,
          ...[organizationId, id],
        ],
      );
      return row as StoredAlert;
    },

    /** In all organizations, the earliest first. */
    listSnoozeEnded(now: Date, limit: number): Promise<AlertRef[]> {
      return query(
        sql,
        `select organization_id as "organizationId", id as "alertId" from alerts
         where status = 'acknowledged' and snooze_until <= ?::timestamptz order by snooze_until limit ?`,
        [now.toISOString(), limit],
      );
    },

    /** It is new again; false when it is no longer what `listSnoozeEnded` looks for. */
    async endSnooze(organizationId: string, id: string, now: Date): Promise<boolean> {
      const rows = await query(
        sql,
        `update alerts a set status = 'new', acknowledged_at = null, acknowledged_by = null, snooze_until = null,
           updated_at = now()
         where ${ONE} and status = 'acknowledged' and snooze_until <= ?::timestamptz returning 1`,
        [organizationId, id, now.toISOString()],
      );
      return rows.length > 0;
    },

    /** In the order given. */
    async insert(alerts: NewAlert[]): Promise<StoredAlert[]> {
      if (alerts.length === 0) return [];
      const rows = await query<StoredAlert & { position: number }>(
        sql,
        `with n as materialized (
           select uuidv7() as id, n.* from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::jsonb[], ?::timestamptz[],
               ?::boolean[], ?::text[])
             with ordinality
             as n (organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity, position)
         ), inserted as (
           insert into alerts (id, organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity)
           select id, organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity from n
           returning *
         )
         select i.*, n.position from (select ${COLUMNS} from inserted a) as i
         join n on n.organization_id = i."organizationId" and n.id = i.id order by n.position`,
        [
          alerts.map(({ organizationId }) => organizationId),
          alerts.map(({ assetId }) => assetId),
          alerts.map(({ serialNumber }) => serialNumber),
          alerts.map(({ type }) => type),
          alerts.map(({ details }) => JSON.stringify(details)),
          alerts.map(({ startedAt }) => startedAt.toISOString()),
          alerts.map(({ isAnnounced }) => isAnnounced),
          alerts.map(({ severity }) => severity),
        ],
      );
      return rows.map(({ position, ...alert }) => alert);
    },

    /** Their events are published from now on; answers with those that are open. */
    async announce(refs: AlertRef[]): Promise<StoredAlert[]> {
      if (refs.length === 0) return [];
      return query(
        sql,
        `with announced as (
           update alerts a set is_announced = true
           from unnest(?::uuid[], ?::uuid[]) as n (organization_id, alert_id)
           where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
           returning a.*
         )
         select ${COLUMNS} from announced a order by a.id`,
        [refs.map(({ organizationId }) => organizationId), refs.map(({ alertId }) => alertId)],
      );
    },

    /** Retention, in all organizations: removes alerts that were resolved so many days ago. Returns how many. */
    async removeResolved(days: number, limit: number): Promise<number> {
      const due = {
        text: `select distinct organization_id as "organizationId" from alerts
          where status = 'resolved' and updated_at < now() - make_interval(days => ?)`,
        bindings: [days],
      };
      const rows = await eachOrganization(sql, due, (organizationId) => {
        const own = organizationId === null ? '' : 'organization_id = ? and';
        return query(
          sql,
          `delete from alerts where ${own} (organization_id, id) in (
             select organization_id, id from alerts
             where ${own} status = 'resolved' and updated_at < now() - make_interval(days => ?)
             order by updated_at limit ? for update skip locked
           ) returning 1`,
          [...oneOrNone(organizationId), ...oneOrNone(organizationId), days, limit],
        );
      });
      return rows.length;
    },

    /** Answers with those that were open. */
    async resolve(refs: ResolvedAlertRef[]): Promise<StoredAlert[]> {
      if (refs.length === 0) return [];
      return query(
        sql,
        `with resolved as (
           update alerts a set status = 'resolved', updated_at = now(),
             details = a.details || jsonb_strip_nulls(jsonb_build_object('resolution', n.resolution))
           from unnest(?::uuid[], ?::uuid[], ?::text[]) as n (organization_id, alert_id, resolution)
           where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
           returning a.*
         )
         select ${COLUMNS} from resolved a`,
        [
          refs.map(({ organizationId }) => organizationId),
          refs.map(({ alertId }) => alertId),
          refs.map(({ resolution }) => resolution ?? null),
        ],
      );
    },
  };
}

function toTotalKeys(status: AlertStatus | null, type: AlertType | null): string[] {
  const statuses = status === null ? ALERT_STATUSES : [status];
  return statuses.map((each) => alertsBy(each, type).key);
}
