/**
 * What is pending for many devices, read and changed in one statement: profiles are applied to thousands of devices at
 * once. `assign` is the set-based twin of `withPending` in device-sync.ts: whoever changes one changes the other, and
 * test/devices/pending-changes.test.ts holds them equal.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ConfigurationKey } from './configuration.ts';
import {
  ACTIVE_BY_SERIAL_AT,
  LOCKED_IN_ORDER,
  REPLACE_SETTINGS,
  SETTINGS_COLUMNS,
  toKeysText,
  WITH_ASSET,
  WITH_RUNNING,
} from './device-row.ts';

/** A device, with all that decides what a change becomes for it. */
export interface ChangingDevice {
  assetId: string;
  serialNumber: string;
  pendingConfigId: string | null;
  reportedConfigId: string | null;
  confirmedConfigId: string | null;
  /** As in `DeviceSync`. */
  isInheriting: boolean;
  /** The settings of the pending change that the device refused; null: none. */
  refusedKeys: ConfigurationKey[] | null;
  model: string | null;
  channelTypes: number[] | null;
  ruleSlots: number;
}

/** What is pending for a device from now on; null: nothing. */
export interface PendingAssignment {
  assetId: string;
  configId: string | null;
  /** The configuration has calendars whose offset from UTC has to follow a time zone. */
  followsTimeZone: boolean;
  /** Of these the device keeps its refusal, or has it again. */
  refusedKeys: readonly ConfigurationKey[];
  /** Why the device refused them; null: as it is known. */
  refusalReason: string | null;
  /** These are all keys of the configuration: nothing is offered. */
  isRefused: boolean;
  /** Of the configuration; null: it does not say. */
  measurementPeriodSeconds: number | null;
  transmissionIntervalSeconds: number | null;
}

const COLUMNS = `d.asset_id as "assetId", a.serial_number as "serialNumber", d.pending_config_id as "pendingConfigId",
  d.reported_config_id as "reportedConfigId", d.confirmed_config_id as "confirmedConfigId",
  d.is_inheriting as "isInheriting", d.refused_keys as "refusedKeys", a.model, d.reported_channel_types as "channelTypes", d.rule_slots as "ruleSlots"`;
const DEVICES = `device_configs d ${WITH_ASSET}`;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** All active devices of an organization, or those of one of its groups. */
export interface DeviceScope {
  organizationId: string;
  /** Null: of all. */
  groupId: string | null;
}

const ACTIVE = 'd.organization_id = ? and d.is_active and a.archived_at is null';
/** By id: joined freely, the planner expects one device where it does not know the organization. */
const OF_GROUP = `and d.asset_id = any (array(
    select id from assets where organization_id = ? and group_id = ? and archived_at is null
  ))`;

const OF_SERIALS = `and d.asset_id = any (array(select id from ${ACTIVE_BY_SERIAL_AT} as assets))`;

/** The bindings of `ACTIVE` and `OF_SERIALS`. */
function bySerials(organizationId: string, serialNumbers: string[]): unknown[] {
  const distinct = [...new Set(serialNumbers.map((serial) => serial.toLowerCase()))];
  return [organizationId, distinct.map(() => organizationId), distinct];
}

export type PendingChangesRepository = ReturnType<typeof createPendingChangesRepository>;

/** All devices of one call belong to one organization. */
export function createPendingChangesRepository(sql: Sql) {
  return {
    /** As they are, without locks: by asset id. */
    listAllActive({ organizationId, groupId }: DeviceScope): Promise<ChangingDevice[]> {
      return query(
        sql,
        `select ${COLUMNS} from ${DEVICES}
         where ${ACTIVE} ${groupId === null ? '' : OF_GROUP} order by d.asset_id`,
        [organizationId, ...(groupId === null ? [] : [organizationId, groupId])],
      );
    },

    lockAllActive({ organizationId, groupId }: DeviceScope): Promise<ChangingDevice[]> {
      return query(
        sql,
        `select ${COLUMNS} from ${DEVICES}
         where ${ACTIVE} ${groupId === null ? '' : OF_GROUP} ${LOCKED_IN_ORDER}`,
        [organizationId, ...(groupId === null ? [] : [organizationId, groupId])],
      );
    },

    /** How many devices are active, at most `max`. */
    async countActive({ organizationId, groupId }: DeviceScope, max: number): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        groupId === null
          ? `select count(*) from (
               select 1 from device_configs where organization_id = ? and is_active limit ?
             ) as active`
          : `select count(*) from (
               select 1 from assets where organization_id = ? and group_id = ? and archived_at is null limit ?
             ) as active`,
        [organizationId, ...(groupId === null ? [] : [groupId]), max],
      );
      return row?.count ?? 0;
    },

    /** Active devices by asset id, as they are, without locks. */
    listActive(
      { organizationId, groupId }: DeviceScope,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<ChangingDevice[]> {
      if (groupId !== null) {
        return query(
          sql,
          `select ${COLUMNS} from ${DEVICES}
           where d.organization_id = ? and d.is_active and d.asset_id = any (array(
             select id from assets
             where organization_id = ? and group_id = ? and archived_at is null and id > ? order by id limit ?
           ))
           order by d.asset_id`,
          [organizationId, organizationId, groupId, after ?? FIRST_ID, limit],
        );
      }
      return query(
        sql,
        `select ${COLUMNS} from ${DEVICES}
         where d.organization_id = ? and d.is_active and a.archived_at is null
           and (?::uuid is null or d.asset_id > ?)
         order by d.asset_id limit ?`,
        [organizationId, after, after, limit],
      );
    },

    /** Active devices by serial, compared without case; as they are, without locks. */
    listSerials(organizationId: string, serialNumbers: string[]): Promise<ChangingDevice[]> {
      return query(
        sql,
        `select ${COLUMNS} from ${DEVICES} where ${ACTIVE} ${OF_SERIALS}`,
        bySerials(organizationId, serialNumbers),
      );
    },

    lockSerials(organizationId: string, serialNumbers: string[]): Promise<ChangingDevice[]> {
      return query(
        sql,
        `select ${COLUMNS} from ${DEVICES} where ${ACTIVE} ${OF_SERIALS} ${LOCKED_IN_ORDER}`,
        bySerials(organizationId, serialNumbers),
      );
    },

    lockAssets(organizationId: string, assetIds: string[]): Promise<ChangingDevice[]> {
      return query(
        sql,
        `select ${COLUMNS} from ${DEVICES}
         where d.organization_id = ? and d.asset_id = any(?::uuid[]) and d.is_active ${LOCKED_IN_ORDER}`,
        [organizationId, assetIds],
      );
    },

    /**
     * Whatever becomes pending has to be fetched anew, as a new revision; without anything pending the revision stays.
     * For a device that has never reported, these are the settings in force from then on.
     */
    async assign(
      organizationId: string,
      assignments: PendingAssignment[],
      { jobId, at }: { jobId: string | null; at: Date },
    ): Promise<void> {
      if (assignments.length === 0) return;
      // Devices share few of them: a position is shorter than an id.
      const distinct = new Map(assignments.map((assignment) => [keyOf(assignment), assignment]));
      const shared = [...distinct.values()];
      const position = new Map([...distinct.keys()].map((key, index) => [key, index + 1]));
      await query(
        sql,
        `with changed as (update device_configs d set
           pending_config_id = c.id, fetched_at = null, contradiction_count = 0,
           failure_reason = case when c.refused_keys is null then null else coalesce(c.reason, failure_reason) end,
           refused_keys = string_to_array(btrim(c.refused_keys, '{}'), ','),
           revision = case when c.id is null then revision else revision + 1 end,
           is_inheriting = is_inheriting and c.id is not null,
           has_had_profile = has_had_profile or ?,
           sync_status = case
             when reported_config_id is null then 'no_device_report'
             when c.id is not null then case when c.is_refused then 'failed' else 'pending' end
             when has_drifted then 'drifted' else 'applied' end,
           utc_offset_check_at = case
             when c.follows_time_zone or utc_offset_check_at is not null then '-infinity'::timestamptz end
         from unnest(?::uuid[], ?::integer[]) as n (asset_id, position)
         join unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::boolean[], ?::boolean[], ?::integer[], ?::integer[])
             with ordinality as c (organization_id, id, refused_keys, reason, follows_time_zone, is_refused,
               period_seconds, interval_seconds, position)
           on c.position = n.position
         where d.organization_id = c.organization_id and d.asset_id = n.asset_id
         returning d.organization_id, d.asset_id, c.id as config_id, c.period_seconds, c.interval_seconds,
           d.reported_config_id is null and d.confirmed_config_id is null as is_unreported
       )
       insert into device_settings (${SETTINGS_COLUMNS})
       select n.organization_id, n.asset_id, greatest(?::timestamptz, r.from_at), n.config_id, n.measured,
         n.interval_seconds, coalesce(j.profile_slug, r.profile_slug),
         case when num_nonnulls(n.config_id, n.measured, n.interval_seconds) > 0 then 'applied' end
       from changed d
       ${WITH_RUNNING}
       left join config_jobs j on j.organization_id = d.organization_id and j.id = ?::uuid
       cross join lateral (
         select d.*, coalesce(d.period_seconds, case when r.source = 'frame' then r.measurement_period_seconds end) as measured
       ) as n
       where d.is_unreported
         and (r.config_id, r.measurement_period_seconds, r.transmission_interval_seconds, r.profile_slug)
           is distinct from
           (n.config_id, n.measured, n.interval_seconds, coalesce(j.profile_slug, r.profile_slug))
       ${REPLACE_SETTINGS}`,
        [
          jobId !== null,
          assignments.map(({ assetId }) => assetId),
          assignments.map((assignment) => position.get(keyOf(assignment))),
          shared.map(() => organizationId),
          shared.map(({ configId }) => configId),
          shared.map(({ refusedKeys }) => (refusedKeys.length > 0 ? toKeysText(refusedKeys) : null)),
          shared.map(({ refusalReason }) => refusalReason),
          shared.map(({ followsTimeZone }) => followsTimeZone),
          shared.map(({ isRefused }) => isRefused),
          shared.map(({ measurementPeriodSeconds }) => measurementPeriodSeconds),
          shared.map(({ transmissionIntervalSeconds }) => transmissionIntervalSeconds),
          at.toISOString(),
          jobId,
        ],
      );
    },
  };
}

const keyOf = ({ configId, refusedKeys, refusalReason }: PendingAssignment) =>
  `${configId} ${refusedKeys.join()} ${refusalReason}`;
