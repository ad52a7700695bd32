/** Changes of a device that the audit trail has under the names of other things: groups and alerts. */
import type { StoredAction } from '../alerts/alert-history.ts';
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Actor } from '../db/transaction.ts';

export interface MembershipChange {
  at: Date;
  /** Null: the device has left its group. */
  groupId: string | null;
  /** Name of the group, or of the one that it left. */
  groupName: string | null;
  /** Null: no row of the audit trail is near. */
  by: string | null;
}

export interface AlertChange {
  alertId: string;
  at: Date;
  action: StoredAction;
  by: Actor | null;
  comment: string | null;
}

/** The audit trail has the group as the subject; its row is written in the same transaction. */
const LIST_MEMBERSHIPS = `
  select m.from_at as at, m.group_id as "groupId", g.name as "groupName", e.actor_name as by
  from (
    select organization_id, from_at, group_id, coalesce(group_id, lag(group_id) over (order by from_at)) as about
    from asset_groups where organization_id = :organizationId and asset_id = :assetId
  ) as m
  left join groups g on g.organization_id = m.organization_id and g.id = m.about
  left join lateral (
    select actor_name from audit_entries
    where organization_id = m.organization_id and subject = m.about::text
      and uuid_extract_timestamp(id) between m.from_at - interval '5 seconds' and m.from_at + interval '5 seconds'
    order by id limit 1
  ) as e on true
  order by m.from_at desc limit :limit`;

const LIST_ALERT_CHANGES = `
  select c.alert_id as "alertId", uuid_extract_timestamp(c.id) as at, c.action, c.actor as by, c.comment
  from (
    select organization_id, id from alerts
    where organization_id = :organizationId and asset_id = :assetId order by id desc limit :limit
  ) as a
  join alert_actions c on c.organization_id = a.organization_id and c.alert_id = a.id
  order by c.id desc limit :limit`;

export type DeviceHistoryRepository = ReturnType<typeof createDeviceHistoryRepository>;

export const createDeviceHistoryRepository = (sql: Sql) => ({
  listMemberships: (organizationId: string, assetId: string, limit: number): Promise<MembershipChange[]> =>
    query(sql, LIST_MEMBERSHIPS, { organizationId, assetId, limit }),

  /** About the newest alerts of the device. */
  listAlertChanges: (organizationId: string, assetId: string, limit: number): Promise<AlertChange[]> =>
    query(sql, LIST_ALERT_CHANGES, { organizationId, assetId, limit }),
});
