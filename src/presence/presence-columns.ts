/**
 * The columns of device_states that hold presence, as pieces of SQL. They are written only through this file:
 * a single statement that also writes other columns of the same rows includes these pieces.
 */
import { toArrayText } from '../db/array-text.ts';
import type { Presence } from './presence.ts';

/** For an update from `n`, whose columns are unnested from arrays. */
export const PRESENCE_COLUMNS = 'status, last_contact_at, expected_by';
export const PRESENCE_ARRAYS = ':statuses::text[], :lastContactAt::timestamptz[], :expectedBy::timestamptz[]';
/**
 * The sweep finds overdue devices by an index on overdue_check_at. A contact only brings that time forward,
 * when the deadline is earlier than before: the column mostly keeps its value, so that the update touches no
 * index.
 */
export const SET_PRESENCE = `status = n.status, last_contact_at = n.last_contact_at, expected_by = n.expected_by,
  overdue_check_at = least(s.overdue_check_at, n.expected_by)`;

/** The bindings of `PRESENCE_ARRAYS`. */
export const presenceBindings = (presences: readonly Presence[]) => ({
  statuses: toArrayText(presences, ({ status }) => status),
  lastContactAt: toArrayText(presences, ({ lastContactAt }) => lastContactAt?.toISOString() ?? null),
  expectedBy: toArrayText(presences, ({ expectedBy }) => expectedBy?.toISOString() ?? null),
});

/** For devices out of service, which have no expected contact. */
export const NO_DEADLINE = 'expected_by = null';

/** Primary key of the row. */
export interface DeviceKey {
  organizationId: string;
  assetId: string;
}
