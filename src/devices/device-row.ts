/** A device as its rows hold it: the sync state by columns, its configurations by id. */
import type { Presence } from '../presence/presence.ts';
import {
  CONFIGURATION_KEYS,
  type ConfigurationKey,
  type DeviceConfiguration,
  keysOf,
} from './configuration.ts';
import { type ConfigurationContents, contentOf } from './configuration-id.ts';
import type { Device } from './device.ts';
import { toRuleSlots } from './device-capabilities.ts';
import { hasDrifted, type Refusal, syncStatus } from './device-sync.ts';

export interface DeviceRow {
  organization_id: string;
  asset_id: string;
  serial_number: string;
  model: string | null;
  reported_config_id: string | null;
  reported_at: Date | null;
  reported_hash: number | null;
  confirmed_config_id: string | null;
  pending_config_id: string | null;
  revision: number;
  fetched_at: Date | null;
  contradiction_count: number;
  failure_reason: string | null;
  refused_keys: ConfigurationKey[] | null;
  observed_hash: number | null;
  is_inheriting: boolean;
  known_errors: { ids: string[]; at: string | null; refusedKeys: ConfigurationKey[] } | null;
  reported_channel_types: number[] | null;
  channels_reported: boolean;
  rule_slots: number;
}

export interface PresenceRow {
  status: Presence['status'];
  last_contact_at: Date | null;
  expected_by: Date | null;
}

export const toPresence = (row: PresenceRow): Presence => ({
  status: row.status,
  lastContactAt: row.last_contact_at,
  expectedBy: row.expected_by,
});

/** Of `device_configs d`, but for its key. */
export const CONFIG_COLUMNS = `d.reported_config_id, d.reported_at,
  d.reported_hash, d.confirmed_config_id, d.pending_config_id, d.revision, d.fetched_at, d.contradiction_count,
  d.failure_reason, d.refused_keys, d.observed_hash, d.is_inheriting, d.known_errors, d.reported_channel_types, d.channels_reported, d.rule_slots`;
/** Of `assets a` and `device_configs d`. */
export const DEVICE_COLUMNS = `d.organization_id, d.asset_id, a.serial_number, a.model, ${CONFIG_COLUMNS}`;

/**
 * Joins `assets a` to `device_configs d`. One index look-up per device: for a plain join on an organization that the
 * statistics do not know yet, PostgreSQL expects one row and compares all devices with all assets.
 */
export const WITH_ASSET = `cross join lateral (
    select serial_number, model, archived_at from assets where organization_id = d.organization_id and id = d.asset_id
    limit 1
  ) as a`;

/**
 * Active assets by serial number, one look-up for each. Bindings: arrays of organizations and serial numbers. For an
 * organization that is given by a value and that the statistics do not know yet, PostgreSQL expects one asset, and reads all
 * of them by any index that begins with the organization.
 */
export const ACTIVE_BY_SERIAL = `(
    select found.* from unnest(?::uuid[], ?::text[]) as wanted (organization_id, serial_number)
    cross join lateral (
      select * from assets where organization_id = wanted.organization_id
        and lower(serial_number) = lower(wanted.serial_number) and archived_at is null
      limit 1
    ) as found
  )`;

/** Every statement that locks devices does so in this order, so that changes and reports never deadlock. */
export const LOCKED_IN_ORDER = 'order by d.organization_id, d.asset_id for no key update of d';

export function toDevice(row: DeviceRow, contents: ConfigurationContents): Device {
  const content = (id: string | null) => (id === null ? null : contentOf(contents, id));
  const reported = content(row.reported_config_id);
  const pending = content(row.pending_config_id);
  return {
    organizationId: row.organization_id,
    assetId: row.asset_id,
    serialNumber: row.serial_number,
    capabilities: {
      model: row.model,
      channelTypes: row.reported_channel_types,
      ruleSlots: toRuleSlots(row.rule_slots),
    },
    areChannelsReported: row.channels_reported,
    sync: {
      reported: reported &&
        row.reported_at && { config: reported, at: row.reported_at, hash: row.reported_hash },
      confirmed: content(row.confirmed_config_id),
      revision: row.revision,
      pending: pending && {
        config: pending,
        fetchedAt: row.fetched_at,
        contradictions: row.contradiction_count,
        refusal: toRefusal(row.failure_reason, row.refused_keys, keysOf(pending)),
      },
      observedHash: row.observed_hash,
      isInheriting: row.is_inheriting,
      knownErrors: row.known_errors && {
        ...row.known_errors,
        at: row.known_errors.at === null ? null : new Date(row.known_errors.at),
      },
    },
  };
}

/** Null: the device refused none of the pending settings. */
export function toRefusal(
  reason: string | null,
  refused: ConfigurationKey[] | null,
  pending: readonly ConfigurationKey[] = CONFIGURATION_KEYS,
): Refusal | null {
  if (reason === null || refused === null) return null;
  return { reason, keys: pending.filter((key) => refused.includes(key)) };
}

/** The configurations of a device, to be stored before its row refers to them. */
export const configurationsOf = ({ sync: { reported, confirmed, pending } }: Device): DeviceConfiguration[] =>
  [reported?.config, confirmed, pending?.config].filter((config) => config != null);

/** Its calendars have an offset from UTC, which has to change with that of a time zone. */
export const followsTimeZone = (config: DeviceConfiguration | null | undefined): boolean =>
  config?.calendars?.some(({ type }) => type === 'WEEK') ?? false;

/** An array as text, since `unnest` would flatten arrays of arrays. */
export const toKeysText = (keys: readonly ConfigurationKey[] | undefined): string | null =>
  keys === undefined ? null : `{${keys.join()}}`;

/** What of a device is written, as arrays for `unnest` in the order of `WRITTEN_COLUMNS`. */
export const WRITTEN_COLUMNS = `organization_id, asset_id, reported_config_id, reported_at, reported_hash,
  confirmed_config_id, pending_config_id, revision, fetched_at, contradiction_count, failure_reason, refused_keys,
  observed_hash, is_inheriting, known_errors, reported_channel_types, channels_reported, rule_slots, follows_time_zone, sync_status,
  has_drifted`;
export const WRITTEN_ARRAYS = `?::uuid[], ?::uuid[], ?::uuid[], ?::timestamptz[], ?::bigint[], ?::uuid[], ?::uuid[],
  ?::bigint[], ?::timestamptz[], ?::smallint[], ?::text[], ?::text[], ?::bigint[], ?::boolean[], ?::text[], ?::text[], ?::boolean[],
  ?::smallint[], ?::boolean[], ?::text[], ?::boolean[]`;

export function writtenBindings(devices: Device[], configIds: Map<DeviceConfiguration, string>): unknown[][] {
  const column = <Value>(value: (device: Device) => Value) => devices.map(value);
  const idOf = (config: DeviceConfiguration | null | undefined) =>
    config ? (configIds.get(config) as string) : null;
  return [
    column(({ organizationId }) => organizationId),
    column(({ assetId }) => assetId),
    column(({ sync }) => idOf(sync.reported?.config)),
    column(({ sync }) => sync.reported?.at.toISOString() ?? null),
    column(({ sync }) => sync.reported?.hash ?? null),
    column(({ sync }) => idOf(sync.confirmed)),
    column(({ sync }) => idOf(sync.pending?.config)),
    column(({ sync }) => sync.revision),
    column(({ sync }) => sync.pending?.fetchedAt?.toISOString() ?? null),
    column(({ sync }) => sync.pending?.contradictions ?? 0),
    column(({ sync }) => sync.pending?.refusal?.reason ?? null),
    column(({ sync }) => toKeysText(sync.pending?.refusal?.keys)),
    column(({ sync }) => sync.observedHash),
    column(({ sync }) => sync.isInheriting),
    column(({ sync }) => sync.knownErrors && JSON.stringify(sync.knownErrors)),
    column(({ capabilities }) => capabilities.channelTypes && `{${capabilities.channelTypes.join()}}`),
    column(({ areChannelsReported }) => areChannelsReported),
    column(({ capabilities }) => capabilities.ruleSlots),
    column(({ sync }) => followsTimeZone(sync.confirmed) || followsTimeZone(sync.pending?.config)),
    column(({ sync }) => syncStatus(sync)),
    column(({ sync }) => hasDrifted(sync)),
  ];
}
