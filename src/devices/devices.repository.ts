import type { Sql } from '../db/database.ts';
import type { Locking } from '../db/locking-commit.ts';
import { query, queryPrepared } from '../db/query.ts';
import { sentTogether } from '../db/sent-together.ts';
import type { ConfigurationCache } from './configurations.repository.ts';
import { createConfigurationsRepository, rememberReferenced } from './configurations.repository.ts';
import type { Device } from './device.ts';
import {
  ACTIVE_BY_SERIAL,
  configurationsOf,
  DEVICE_COLUMNS,
  type DeviceRow,
  LOCKED_IN_ORDER,
  REPLACE_SETTINGS,
  RUNNING_COLUMNS,
  type RunningRow,
  SETTINGS_ARRAYS,
  SETTINGS_COLUMNS,
  settingsBindings,
  toDevice,
  WITH_ASSET,
  WITH_RUNNING,
  WRITTEN_ARRAYS,
  WRITTEN_COLUMNS,
  writtenBindings,
} from './device-row.ts';
import { type SerialInOrganization, serialKeyOf } from './serial-number.ts';

type Row = DeviceRow & RunningRow;

const configIdsOf = (row: Row): Array<string | null> => [
  row.reported_config_id,
  row.confirmed_config_id,
  row.pending_config_id,
  row.settings_config_id,
];

export interface LockedBySerial {
  devices: Device[];
  /** Active devices that another transaction has locked, and that were left out. */
  unavailable: SerialInOrganization[];
}

export type DevicesRepository = ReturnType<typeof createDevicesRepository>;

export function createDevicesRepository(sql: Sql, cache: ConfigurationCache) {
  const configurations = createConfigurationsRepository(sql, cache);

  /** Of rows that are locked: none of the configurations that they refer to can go meanwhile. */
  function lockedDevicesOf(rows: Row[]): Promise<Device[]> {
    for (const row of rows) rememberReferenced(sql, configIdsOf(row));
    return devicesOf(rows);
  }

  async function devicesOf(rows: Row[]): Promise<Device[]> {
    const contents = await configurations.find(
      rows.map((row) => ({
        organizationId: row.organization_id,
        configIds: configIdsOf(row),
      })),
    );
    return rows.map((row) => toDevice(row, contents));
  }

  function lockConfigs(
    serials: SerialInOrganization[],
    locking: Locking,
  ): Promise<Array<SerialInOrganization & { isLocked: boolean }>> {
    return queryPrepared(
      sql,
      locking === 'skip' ? 'devices_lock_free_by_serial' : 'devices_lock_by_serial',
      `select a.organization_id as "organizationId", a.serial_number as "serialNumber", d.asset_id is null as "isLocked"
       from (select * from ${ACTIVE_BY_SERIAL} as found order by organization_id, id) as a
       ${locking === 'skip' ? 'left' : 'inner'} join lateral (
         select asset_id from device_configs
         where organization_id = a.organization_id and asset_id = a.id and is_active
         for no key update ${locking === 'skip' ? 'skip locked' : ''}
       ) as d on true`,
      bySerials(serials),
    );
  }

  const readBySerial = (serials: SerialInOrganization[]): Promise<Row[]> =>
    queryPrepared(
      sql,
      'devices_read_by_serial',
      `select ${DEVICE_COLUMNS}, ${RUNNING_COLUMNS}
       from ${ACTIVE_BY_SERIAL} as a
       cross join lateral (
         select * from device_configs
         where organization_id = a.organization_id and asset_id = a.id and is_active
         limit 1
       ) as d
       ${WITH_RUNNING}`,
      bySerials(serials),
    );

  return {
    /** One active device by its serial. */
    async find(organizationId: string, serialNumber: string): Promise<Device | null> {
      const [device] = await devicesOf(await readBySerial([{ organizationId, serialNumber }]));
      return device ?? null;
    },

    /** Active devices by serial, not locked; what is not registered is left out. */
    findBySerial: async (serials: SerialInOrganization[]): Promise<Device[]> =>
      serials.length === 0 ? [] : devicesOf(await readBySerial(serials)),

    /**
     * The same devices, locked. They are read once they are, together with their serial numbers and what runs: hardware may
     * have been replaced meanwhile, and a message of the old one must not count as one of the new. Both statements are
     * sent together.
     */
    async lockBySerial(serials: SerialInOrganization[], locking: Locking): Promise<LockedBySerial> {
      if (serials.length === 0) return { devices: [], unavailable: [] };
      const [found, rows] = await sentTogether([lockConfigs(serials, locking), readBySerial(serials)]);
      const own = new Set(found.filter(({ isLocked }) => !isLocked).map(serialKeyOf));
      return {
        devices: await lockedDevicesOf(rows.filter((row) => own.has(keyOfRow(row)))),
        unavailable: found.filter(({ isLocked }) => isLocked),
      };
    },

    /** Active devices by asset id, locked. */
    async lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]> {
      const rows = await query<Row>(
        sql,
        `select ${DEVICE_COLUMNS}, ${RUNNING_COLUMNS}
         from device_configs d ${WITH_ASSET} ${WITH_RUNNING}
         where d.organization_id = ? and d.asset_id = any(?::uuid[]) and d.is_active
         ${LOCKED_IN_ORDER}`,
        [organizationId, assetIds],
      );
      return lockedDevicesOf(rows);
    },

    /** The rows of a new asset's device: its configuration and its state. */
    async insert(organizationId: string, assetId: string): Promise<void> {
      await query(
        sql,
        `with d as (select ?::uuid as organization_id, ?::uuid as asset_id), state as (
           insert into device_states (organization_id, asset_id) select organization_id, asset_id from d
         )
         insert into device_configs (organization_id, asset_id) select organization_id, asset_id from d`,
        [organizationId, assetId],
      );
    },

    /** The same for many assets. */
    async insertMany(organizationId: string, assetIds: string[]): Promise<void> {
      await query(
        sql,
        `with d as materialized (select ?::uuid as organization_id, unnest(?::uuid[]) as asset_id), states as (
           insert into device_states (organization_id, asset_id) select organization_id, asset_id from d
         )
         insert into device_configs (organization_id, asset_id) select organization_id, asset_id from d`,
        [organizationId, assetIds],
      );
    },

    /** Writes the whole sync state of each device, whose rows the caller has locked. */
    async update(devices: Device[]): Promise<void> {
      if (devices.length === 0) return;
      const entries = devices.flatMap((device) =>
        configurationsOf(device).map((config) => ({ organizationId: device.organizationId, config })),
      );
      const ids = await configurations.insert(entries);
      const configIds = new Map(entries.map(({ config }, index) => [config, ids[index] as string]));
      await queryPrepared(
        sql,
        'devices_update',
        `with written as (
           update device_configs d set
             reported_config_id = n.reported_config_id, reported_at = n.reported_at,
             reported_hash = n.reported_hash, confirmed_config_id = n.confirmed_config_id,
             pending_config_id = n.pending_config_id, revision = n.revision, fetched_at = n.fetched_at,
             contradiction_count = n.contradiction_count, failure_reason = n.failure_reason,
             refused_keys = string_to_array(btrim(n.refused_keys, '{}'), ','), observed_hash = n.observed_hash,
             is_inheriting = n.is_inheriting, known_errors = n.known_errors::jsonb, channels_reported = n.channels_reported,
             reported_channel_types = string_to_array(btrim(n.reported_channel_types, '{}'), ',')::smallint[], rule_slots = n.rule_slots,
             sync_status = n.sync_status, has_drifted = n.has_drifted,
             utc_offset_check_at = case
               when (d.pending_config_id, d.confirmed_config_id, d.failure_reason, d.refused_keys)
                 is not distinct from
                 (n.pending_config_id, n.confirmed_config_id, n.failure_reason, string_to_array(btrim(n.refused_keys, '{}'), ','))
                 then d.utc_offset_check_at
               when n.follows_time_zone or d.utc_offset_check_at is not null then '-infinity' end
           from unnest(${WRITTEN_ARRAYS}) as n (${WRITTEN_COLUMNS})
           where d.organization_id = n.organization_id and d.asset_id = n.asset_id
         )
           insert into device_settings (${SETTINGS_COLUMNS})
           select n.organization_id, n.asset_id, n.from_at, n.config_id, n.measurement_period_seconds,
             n.transmission_interval_seconds, coalesce(brought.profile_slug, n.profile_slug), n.source
           from unnest(${SETTINGS_ARRAYS}) as n (${SETTINGS_COLUMNS}, is_confirmation)
           left join lateral (
             select j.profile_slug from config_targets t
             join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
             where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active
               and t.state in ('waiting', 'sent', 'timed_out', 'superseded') and n.source = 'confirmed'
             order by t.job_id desc limit 1
           ) as brought on true
           where not n.is_confirmation or brought.profile_slug is distinct from n.profile_slug
           ${REPLACE_SETTINGS}`,
        [...writtenBindings(devices, configIds), ...settingsBindings(devices, configIds)],
      );
    },
  };
}

const bySerials = (serials: SerialInOrganization[]): [string[], string[]] => [
  serials.map(({ organizationId }) => organizationId),
  serials.map(({ serialNumber }) => serialNumber),
];

const keyOfRow = ({ organization_id, serial_number }: Row): string =>
  serialKeyOf({ organizationId: organization_id, serialNumber: serial_number });
