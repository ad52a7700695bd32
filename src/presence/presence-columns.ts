/**
 * The columns of device_states that hold presence, as pieces of SQL. They are written only through this file:
 * a single statement that also writes other columns of the same rows includes these pieces.
 */
import { toArrayText } from '../db/array-text.ts';
import type { Presence } from './presence.ts';

/** For an update from `n`, whose columns are unnested from arrays. */
export const PRESENCE_COLUMNS = 'status, last_contact_at, expected_by';
export const PRESENCE_ARRAYS = ':statuses::text[], :lastContactAt::timestamptz[], :expectedBy::timestamptz[]';
export const SET_PRESENCE =
  'status = n.status, last_contact_at = n.last_contact_at, expected_by = n.expected_by';

/**
 * For devices `n` whose states the transaction has locked. The sweep finds overdue devices by an index on the time of
 * their check. A contact only brings that time forward, when the deadline is earlier: mostly this writes nothing.
 */
export const BRING_CHECKS_FORWARD = `
    insert into overdue_checks as c (organization_id, asset_id, check_at)
    select n.organization_id, n.asset_id, n.expected_by from n
    left join lateral (
      select check_at from overdue_checks where organization_id = n.organization_id and asset_id = n.asset_id limit 1
    ) as planned on true
    where n.expected_by < coalesce(planned.check_at, 'infinity')
    order by n.organization_id, n.asset_id
    on conflict (organization_id, asset_id) do update set check_at = least(c.check_at, excluded.check_at)`;

/** The bindings of `PRESENCE_ARRAYS`. */
export const presenceBindings = (presences: readonly Presence[]) => ({
  statuses: toArrayText(presences, ({ status }) => status),
  lastContactAt: toArrayText(presences, ({ lastContactAt }) => lastContactAt?.toISOString() ?? null),
  expectedBy: toArrayText(presences, ({ expectedBy }) => expectedBy?.toISOString() ?? null),
});

/** For devices out of service, which have no expected contact. */
export const NO_DEADLINE = { expected_by: null };

/** Primary key of the row. */
export interface DeviceKey {
  organizationId: string;
  assetId: string;
}
