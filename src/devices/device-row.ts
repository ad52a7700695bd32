/** A device as stored in its rows: the sync state by columns, its configurations by id. */
import type { AssetRef } from './asset-ref.ts';
import {
  type ConfigurationContents,
  type ConfigurationKey,
  contentOf,
  type DeviceConfiguration,
  keysOf,
} from './configuration.ts';
import type { Device } from './device.ts';
import { toRuleSlots } from './device-capabilities.ts';
import { hasDrifted, type Refusal, syncStatus } from './device-sync.ts';
import type { BegunSettings, SettingsSource, SettingsStart } from './settings.ts';

export interface DeviceRow {
  organization_id: string;
  asset_id: string;
  serial_number: string;
  asset_name: string;
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
  created_at: Date;
}

/** The running settings of a device: all null when there are none. */
export interface RunningRow {
  settings_from: Date | null;
  settings_config_id: string | null;
  measurement_period_seconds: number | null;
  transmission_interval_seconds: number | null;
  profile_slug: string | null;
  source: SettingsSource | null;
}

/** Columns of a device, from `assets a` and `device_configs d`. */
export const DEVICE_COLUMNS = `d.organization_id, d.asset_id, a.serial_number, a.name as asset_name, a.model,
  a.created_at, d.reported_config_id, d.reported_at, d.reported_hash, d.confirmed_config_id, d.pending_config_id, d.revision, d.fetched_at, d.contradiction_count,
  d.failure_reason, d.refused_keys, d.observed_hash, d.is_inheriting, d.known_errors, d.reported_channel_types, d.channels_reported, d.rule_slots`;
export const RUNNING_COLUMNS = `r.from_at as settings_from, r.config_id as settings_config_id, r.measurement_period_seconds,
  r.transmission_interval_seconds, r.profile_slug, r.source`;

/** Joins the running settings to `d`, which has the key of an asset. */
export const WITH_RUNNING = `left join lateral (
    select from_at, config_id, measurement_period_seconds, transmission_interval_seconds, profile_slug, source
    from device_settings where organization_id = d.organization_id and asset_id = d.asset_id
    order by from_at desc limit 1
  ) as r on true`;

/**
 * Joins `assets a` to `device_configs d` by one index look-up per device: for a plain join on an organization
 * that is missing in the statistics, PostgreSQL expects one row and compares all devices with all assets.
 */
export const WITH_ASSET = `cross join lateral (
    select serial_number, name, model, archived_at, created_at from assets where organization_id = d.organization_id and id = d.asset_id
    limit 1
  ) as a`;

/**
 * Active assets by serial number, one look-up for each. For an organization that is given by a value and that the
 * statistics do not know yet, PostgreSQL expects one asset, and reads all of them by any index that begins with the
 * organization.
 */
export const ACTIVE_BY_SERIAL = `(
    select found.* from unnest(:organizationIds::uuid[], :serialNumbers::text[]) as wanted (organization_id, serial_number)
    cross join lateral (
      select * from assets where organization_id = wanted.organization_id
        and lower(serial_number) = lower(wanted.serial_number) and archived_at is null
      limit 1
    ) as found
  )`;

/** The order in which every statement locks devices, so that changes and reports never deadlock. */
export const LOCKED_IN_ORDER = 'order by d.organization_id, d.asset_id for no key update of d';

export function toDevice(row: DeviceRow & RunningRow, contents: ConfigurationContents): Device {
  const content = (id: string | null) => (id === null ? null : contentOf(contents, id));
  const reported = content(row.reported_config_id);
  const pending = content(row.pending_config_id);
  return {
    organizationId: row.organization_id,
    assetId: row.asset_id,
    serialNumber: row.serial_number,
    assetName: row.asset_name,
    capabilities: {
      model: row.model,
      channelTypes: row.reported_channel_types,
      ruleSlots: toRuleSlots(row.rule_slots),
    },
    areChannelsReported: row.channels_reported,
    registeredAt: row.created_at,
    settings: { running: toRunning(row, content), begun: [] },
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

const toRunning = (
  row: RunningRow,
  content: (id: string | null) => DeviceConfiguration | null,
): SettingsStart | null =>
  row.settings_from && {
    from: row.settings_from,
    config: content(row.settings_config_id),
    measurementPeriodSeconds: row.measurement_period_seconds,
    transmissionIntervalSeconds: row.transmission_interval_seconds,
    profileSlug: row.profile_slug,
    source: row.source,
  };

/** Null: the device refused none of the pending settings. */
function toRefusal(
  reason: string | null,
  refused: ConfigurationKey[] | null,
  pending: readonly ConfigurationKey[],
): Refusal | null {
  if (reason === null || refused === null) return null;
  return { reason, keys: pending.filter((key) => refused.includes(key)) };
}

/** The configurations of a device, which are stored before its row refers to them. */
export const configurationsOf = ({ sync, settings: { begun } }: Device): DeviceConfiguration[] =>
  [sync.reported?.config, sync.confirmed, sync.pending?.config, ...begun.map(({ config }) => config)].filter(
    (config) => config != null,
  );

/** Its calendars have an offset from UTC, which has to follow a time zone. */
export const followsTimeZone = (config: DeviceConfiguration | null | undefined): boolean =>
  config?.calendars?.some(({ type }) => type === 'WEEK') ?? false;

/** An array as text, since `unnest` would flatten nested arrays. */
export const toKeysText = (keys: readonly ConfigurationKey[] | undefined): string | null =>
  keys === undefined ? null : `{${keys.join()}}`;

/** Written columns of a device, from `writtenBindings`. */
export const WRITTEN_COLUMNS = `organization_id, asset_id, reported_config_id, reported_at, reported_hash,
  confirmed_config_id, pending_config_id, revision, fetched_at, contradiction_count, failure_reason, refused_keys,
  observed_hash, is_inheriting, known_errors, reported_channel_types, channels_reported, rule_slots, follows_time_zone, sync_status,
  has_drifted`;
export const WRITTEN_ARRAYS = `:organizationIds::uuid[], :assetIds::uuid[], :reportedIds::uuid[], :reportedAt::timestamptz[],
  :reportedHashes::bigint[], :confirmedIds::uuid[], :pendingIds::uuid[], :revisions::bigint[], :fetchedAt::timestamptz[],
  :contradictions::smallint[], :refusalReasons::text[], :refusedKeys::text[], :observedHashes::bigint[],
  :areInheriting::boolean[], :knownErrors::text[], :channelTypes::text[], :areChannelsReported::boolean[],
  :ruleSlots::smallint[], :followTimeZone::boolean[], :syncStatuses::text[], :haveDrifted::boolean[]`;

export function writtenBindings(devices: Device[], configIds: Map<DeviceConfiguration, string>) {
  const column = <Value>(value: (device: Device) => Value) => devices.map(value);
  const idOf = (config: DeviceConfiguration | null | undefined) =>
    config ? (configIds.get(config) as string) : null;
  return {
    organizationIds: column(({ organizationId }) => organizationId),
    assetIds: column(({ assetId }) => assetId),
    reportedIds: column(({ sync }) => idOf(sync.reported?.config)),
    reportedAt: column(({ sync }) => sync.reported?.at.toISOString() ?? null),
    reportedHashes: column(({ sync }) => sync.reported?.hash ?? null),
    confirmedIds: column(({ sync }) => idOf(sync.confirmed)),
    pendingIds: column(({ sync }) => idOf(sync.pending?.config)),
    revisions: column(({ sync }) => sync.revision),
    fetchedAt: column(({ sync }) => sync.pending?.fetchedAt?.toISOString() ?? null),
    contradictions: column(({ sync }) => sync.pending?.contradictions ?? 0),
    refusalReasons: column(({ sync }) => sync.pending?.refusal?.reason ?? null),
    refusedKeys: column(({ sync }) => toKeysText(sync.pending?.refusal?.keys)),
    observedHashes: column(({ sync }) => sync.observedHash),
    areInheriting: column(({ sync }) => sync.isInheriting),
    knownErrors: column(({ sync }) => sync.knownErrors && JSON.stringify(sync.knownErrors)),
    channelTypes: column(
      ({ capabilities }) => capabilities.channelTypes && `{${capabilities.channelTypes.join()}}`,
    ),
    areChannelsReported: column(({ areChannelsReported }) => areChannelsReported),
    ruleSlots: column(({ capabilities }) => capabilities.ruleSlots),
    followTimeZone: column(
      ({ sync }) => followsTimeZone(sync.confirmed) || followsTimeZone(sync.pending?.config),
    ),
    syncStatuses: column(({ sync }) => syncStatus(sync)),
    haveDrifted: column(({ sync }) => hasDrifted(sync)),
  };
}

export const SETTINGS_COLUMNS = `organization_id, asset_id, from_at, config_id, measurement_period_seconds,
  transmission_interval_seconds, profile_slug, source`;
/** With `is_confirmation` and `is_as_confirmed`, as arrays for `unnest`. */
export const SETTINGS_ARRAYS = `:settingsOrganizationIds::uuid[], :settingsAssetIds::uuid[], :settingsFrom::timestamptz[],
  :settingsConfigIds::uuid[], :measurementPeriods::integer[], :transmissionIntervals::integer[], :profileSlugs::text[],
  :sources::text[], :areConfirmations::boolean[], :areAsConfirmed::boolean[]`;

export function settingsBindings(devices: Device[], configIds: Map<DeviceConfiguration, string>) {
  const begun = devices.flatMap(({ organizationId, assetId, settings }) =>
    settings.begun.map((each) => ({ organizationId, assetId, ...each })),
  );
  const column = <Value>(value: (each: AssetRef & BegunSettings) => Value) => begun.map(value);
  return {
    settingsOrganizationIds: column(({ organizationId }) => organizationId),
    settingsAssetIds: column(({ assetId }) => assetId),
    settingsFrom: column(({ from }) => from.toISOString()),
    settingsConfigIds: column(({ config }) => config && (configIds.get(config) as string)),
    measurementPeriods: column(({ measurementPeriodSeconds }) => measurementPeriodSeconds),
    transmissionIntervals: column(({ transmissionIntervalSeconds }) => transmissionIntervalSeconds),
    profileSlugs: column(({ profileSlug }) => profileSlug),
    sources: column(({ source }) => source),
    areConfirmations: column(({ isConfirmation }) => isConfirmation),
    areAsConfirmed: column(({ isAsConfirmed }) => isAsConfirmed),
  };
}

/** A second change within a millisecond replaces the first. */
export const REPLACE_SETTINGS = `on conflict on constraint device_settings_pkey do update set
  config_id = excluded.config_id, measurement_period_seconds = excluded.measurement_period_seconds,
  transmission_interval_seconds = excluded.transmission_interval_seconds, profile_slug = excluded.profile_slug,
  source = excluded.source`;
