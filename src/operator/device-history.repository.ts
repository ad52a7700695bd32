/** Changes of a device, of its loggers while they belonged to it, of its groups and of its alerts. */
import type { AlertAction } from '../alerts/alert-history.ts';
import { ABOUT_SERIAL_NUMBER, type StoredAuditEntry } from '../audit/audit.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { firstIdAt } from '../process/uuid.ts';

export type AuditedChange = Pick<StoredAuditEntry, 'at' | 'actorName' | 'action' | 'before' | 'after'>;

export interface MembershipChange {
  at: Date;
  /** Null: the device has left its group. */
  groupId: string | null;
  /** Name of the group, or of the one that it left. */
  groupName: string | null;
  /** Null: no row of the audit trail is near. */
  by: string | null;
}

export interface AlertChange extends AlertAction {
  alertId: string;
}

/** A serial number may have been at other devices before its logger belonged to this one, and afterwards. */
const LIST_AUDITED = `
  with loggers as (
    select serial_number, until, lag(until, 1, registered_at) over (order by until nulls last) as since from (
      select serial_number, archived_at as until, created_at as registered_at from assets
      where organization_id = :organizationId and id = :assetId
      union all
      select r.serial_number, r.replaced_at, a.created_at from asset_replacements r
      join assets a on a.organization_id = r.organization_id and a.id = r.asset_id
      where r.organization_id = :organizationId and r.asset_id = :assetId
    ) as each
  )
  select uuid_extract_timestamp(id) as at, actor_name as "actorName", action, before, after from (
    (select * from audit_entries where organization_id = :organizationId and subject = cast(:assetId as uuid)::text
     order by id desc limit :limit)
    union all
    select about.* from loggers l cross join lateral (
      select * from audit_entries
      where organization_id = :organizationId and subject in (l.serial_number, lower(l.serial_number))
        and action = any(:actions::text[]) and uuid_extract_timestamp(id) >= l.since
        and (l.until is null or uuid_extract_timestamp(id) <= l.until)
      order by id desc limit :limit
    ) as about
  ) as e
  order by id desc limit :limit`;

/** The row of an import, which names no device, is written in the same transaction as its devices. */
const NEAR_MS = 5_000;

/** Changes that write a membership, with the group or the device as their subject. */
const MOVING = [
  'addGroupMembers',
  'removeGroupMembers',
  'deleteGroup',
  'registerAsset',
  'changeAsset',
  'archiveAsset',
];

/** A row of the audit trail is written in the transaction of its change, so it is the nearest; its id contains its time. */
const LIST_MEMBERSHIPS = `
  select m.from_at as at, m.group_id as "groupId", g.name as "groupName", e.actor_name as by
  from (
    select organization_id, asset_id, from_at, group_id,
      coalesce(group_id, lag(group_id) over (order by from_at)) as about
    from asset_groups where organization_id = :organizationId and asset_id = :assetId
  ) as m
  left join groups g on g.organization_id = m.organization_id and g.id = m.about
  left join lateral (
    select actor_name from audit_entries
    where organization_id = m.organization_id and subject in (m.about::text, m.asset_id::text)
      and action = any(:actions::text[])
      and id between rpad(lpad(to_hex((extract(epoch from m.from_at) * 1000 - 5000)::bigint), 12, '0'), 32, '0')::uuid
        and rpad(lpad(to_hex((extract(epoch from m.from_at) * 1000 + 5000)::bigint), 12, '0'), 32, '0')::uuid
    order by abs(extract(epoch from uuid_extract_timestamp(id) - m.from_at)) limit 1
  ) as e on true
  where m.about is not null
  order by m.from_at desc limit :limit`;

export type DeviceHistoryRepository = ReturnType<typeof createDeviceHistoryRepository>;

export const createDeviceHistoryRepository = (sql: Database) => ({
  /** Each once, the newest ones. */
  listAudited: (organizationId: string, assetId: string, limit: number): Promise<AuditedChange[]> =>
    query(sql, LIST_AUDITED, { organizationId, assetId, actions: ABOUT_SERIAL_NUMBER, limit }),

  /** The import that registered a device; null: none is near. `by` is null where several people imported at that time. */
  async findImport(organizationId: string, registeredAt: Date): Promise<{ by: string | null } | null> {
    const [from, to] = [-NEAR_MS, NEAR_MS].map((ms) => firstIdAt(new Date(registeredAt.getTime() + ms)));
    const names = await sql('audit_entries')
      .where({ organization_id: organizationId, subject: 'import', action: 'importAssets' })
      .whereRaw("after ->> 'created' <> '0'")
      .where('id', '>=', from as string)
      .where('id', '<', to as string)
      .groupBy('actor_name')
      .limit(2)
      .pluck('actor_name');
    const [by = null, another] = names;
    return by === null ? null : { by: another === undefined ? by : null };
  },

  listMemberships: (organizationId: string, assetId: string, limit: number): Promise<MembershipChange[]> =>
    query(sql, LIST_MEMBERSHIPS, { organizationId, assetId, actions: MOVING, limit }),

  /** About the newest alerts of the device. */
  async listAlertChanges(organizationId: string, assetId: string, limit: number): Promise<AlertChange[]> {
    const newest = sql('alerts')
      .where({ organization_id: organizationId, asset_id: assetId })
      .orderBy('id', 'desc')
      .limit(limit)
      .select('organization_id', 'id');
    return sql
      .from(newest.as('a'))
      .join({ c: 'alert_actions' }, { 'c.organization_id': 'a.organization_id', 'c.alert_id': 'a.id' })
      .orderBy('c.id', 'desc')
      .limit(limit)
      .select({ alertId: 'c.alert_id', action: 'c.action', by: 'c.actor', comment: 'c.comment' })
      .select(sql.raw('uuid_extract_timestamp(c.id) as at'));
  },
});
