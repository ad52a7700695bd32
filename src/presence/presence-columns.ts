/**
 * The columns of device_states that hold presence, as pieces of SQL. They are written only through this file:
 * a single statement that also writes other columns of the same rows includes these pieces.
 */
import { toArrayText } from '../db/array-text.ts';
import type { Presence } from './presence.ts';

/** For an update from `n`, whose columns are unnested from arrays. */
export const PRESENCE_COLUMNS = 'status, last_contact_at, expected_by';
export const PRESENCE_ARRAYS = '?::text[], ?::timestamptz[], ?::timestamptz[]';
/**
 * The sweep finds overdue devices by an index on overdue_check_at. A contact only brings that time forward,
 * when the deadline is earlier than before: the column mostly keeps its value, so that the update touches no
 * index.
 */
export const SET_PRESENCE = `status = n.status, last_contact_at = n.last_contact_at, expected_by = n.expected_by,
  overdue_check_at = least(s.overdue_check_at, n.expected_by)`;

/** The bindings of `PRESENCE_ARRAYS`. */
export const presenceBindings = (presences: readonly Presence[]): string[] => [
  toArrayText(presences, ({ status }) => status),
  toArrayText(presences, ({ lastContactAt }) => lastContactAt?.toISOString() ?? null),
  toArrayText(presences, ({ expectedBy }) => expectedBy?.toISOString() ?? null),
];

/** For devices out of service, which have no expected contact. */
export const NO_DEADLINE = 'expected_by = null';

/** Primary key of the row. */
export interface DeviceKey {
  organizationId: string;
  assetId: string;
}

export interface PresenceChange extends DeviceKey {
  before: Presence;
  after: Presence;
}

const CHANGES = `unnest(?::uuid[], ?::uuid[], ${PRESENCE_ARRAYS}, ?::text[], ?::timestamptz[])
    as n (organization_id, asset_id, ${PRESENCE_COLUMNS}, status_before, expected_before)`;
const UNCHANGED = `s.organization_id = n.organization_id and s.asset_id = n.asset_id and s.status = n.status_before
    and date_trunc('milliseconds', s.expected_by at time zone 'UTC')
      is not distinct from n.expected_before at time zone 'UTC'`;

/**
 * Writes presences that were decided without a lock on their rows, and returns the ids of the assets. Skips
 * rows that have changed meanwhile; times are compared to the millisecond, the precision of a Date.
 */
export const UPDATE_PRESENCE = `update device_states s set ${SET_PRESENCE} from ${CHANGES}
  where ${UNCHANGED} returning s.asset_id`;

/** The same, but also skips rows that another transaction has locked. */
export const UPDATE_UNLOCKED_PRESENCE = `update device_states s set ${SET_PRESENCE}
  from (
    select n.* from ${CHANGES}
    cross join lateral (
      select from device_states where organization_id = n.organization_id and asset_id = n.asset_id
      for no key update skip locked
    ) as unlocked
  ) as n
  where ${UNCHANGED} returning s.asset_id`;

/** The bindings of both statements. */
export const updatePresenceBindings = (changes: readonly PresenceChange[]): string[] => [
  toArrayText(changes, ({ organizationId }) => organizationId),
  toArrayText(changes, ({ assetId }) => assetId),
  ...presenceBindings(changes.map(({ after }) => after)),
  toArrayText(changes, ({ before }) => before.status),
  toArrayText(changes, ({ before }) => before.expectedBy?.toISOString() ?? null),
];
