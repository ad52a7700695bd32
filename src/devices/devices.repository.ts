import type { Sql } from '../db/database.ts';
import { staleRead } from '../db/faults.ts';
import type { Locking } from '../db/locking-commit.ts';
import { query, queryPrepared } from '../db/query.ts';
import {
  type PresenceChange,
  UPDATE_PRESENCE,
  UPDATE_UNLOCKED_PRESENCE,
  updatePresenceBindings,
} from '../presence/presence-columns.ts';
import type { ConfigurationCache } from './configurations.repository.ts';
import { createConfigurationsRepository, rememberReferenced } from './configurations.repository.ts';
import type { ContactingDevices, Device, PresencesTaken } from './device.ts';
import {
  ACTIVE_BY_SERIAL,
  CONFIG_COLUMNS,
  configurationsOf,
  DEVICE_COLUMNS,
  type DeviceRow,
  LOCKED_IN_ORDER,
  type PresenceRow,
  REPLACE_SETTINGS,
  RUNNING_COLUMNS,
  type RunningRow,
  SETTINGS_ARRAYS,
  SETTINGS_COLUMNS,
  settingsBindings,
  toDevice,
  toPresence,
  WITH_ASSET,
  WITH_RUNNING,
  WRITTEN_ARRAYS,
  WRITTEN_COLUMNS,
  writtenBindings,
} from './device-row.ts';
import type { SerialInOrganization } from './serial-number.ts';

type Row = DeviceRow & RunningRow;

const configIdsOf = (row: Row): Array<string | null> => [
  row.reported_config_id,
  row.confirmed_config_id,
  row.pending_config_id,
  row.settings_config_id,
];

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

  /**
   * The serial is read before the lock is acquired: the hardware may have been replaced meanwhile, and a message of the
   * old one must not count as one of the new. What runs may have changed meanwhile, too.
   */
  async function recheckSerials<Locked extends DeviceRow>(
    rows: Locked[],
  ): Promise<Array<Locked & RunningRow>> {
    if (rows.length === 0) return [];
    const current = await queryPrepared<{ id: string; serial_number: string } & RunningRow>(
      sql,
      'devices_recheck_serials',
      `select a.id, a.serial_number, ${RUNNING_COLUMNS}
       from unnest(?::uuid[], ?::uuid[]) as d (organization_id, asset_id)
       cross join lateral (
         select id, serial_number from assets where organization_id = d.organization_id and id = d.asset_id limit 1
       ) as a
       ${WITH_RUNNING}`,
      [rows.map((row) => row.organization_id), rows.map((row) => row.asset_id)],
    );
    const currentOf = new Map(current.map((each) => [each.id, each]));
    return rows.flatMap((row) => {
      const found = currentOf.get(row.asset_id);
      return found?.serial_number === row.serial_number ? [{ ...row, ...found }] : [];
    });
  }

  return {
    /** One active device by its serial, with the name of its asset. */
    async find(
      organizationId: string,
      serialNumber: string,
    ): Promise<(Device & { assetName: string }) | null> {
      const [row] = await queryPrepared<Row & { asset_name: string }>(
        sql,
        'devices_find',
        `select ${DEVICE_COLUMNS}, a.name as asset_name, ${RUNNING_COLUMNS}
         from ${ACTIVE_BY_SERIAL} as a
         cross join lateral (
           select * from device_configs where organization_id = a.organization_id and asset_id = a.id limit 1
         ) as d
         ${WITH_RUNNING}`,
        [[organizationId], [serialNumber]],
      );
      if (!row) return null;
      const [device] = await devicesOf([row]);
      return { ...(device as Device), assetName: row.asset_name };
    },

    /** Active devices by serial, locked but for their presence; what is not registered is left out. */
    async lockBySerial(serials: SerialInOrganization[], locking: Locking): Promise<ContactingDevices> {
      const found = await queryPrepared<DeviceRow & PresenceRow & { is_locked: boolean }>(
        sql,
        locking === 'skip' ? 'devices_lock_free_by_serial' : 'devices_lock_by_serial',
        `select a.organization_id, a.id as asset_id, a.serial_number, a.model, a.created_at, ${CONFIG_COLUMNS},
           s.status, s.last_contact_at, s.expected_by, d.asset_id is null as is_locked
         from (select * from ${ACTIVE_BY_SERIAL} as found order by organization_id, id) as a
         ${locking === 'skip' ? 'left' : 'inner'} join lateral (
           select * from device_configs
           where organization_id = a.organization_id and asset_id = a.id and is_active
           for no key update ${locking === 'skip' ? 'skip locked' : ''}
         ) as d on true
         cross join lateral (
           select status, last_contact_at, expected_by from device_states
           where organization_id = a.organization_id and asset_id = a.id
           limit 1
         ) as s`,
        [serials.map((each) => each.organizationId), serials.map((each) => each.serialNumber)],
      );
      const rows = await recheckSerials(found.filter((row) => !row.is_locked));
      const devices = await lockedDevicesOf(rows);
      return {
        devices: devices.map((device, index) => ({
          ...device,
          presence: toPresence(rows[index] as PresenceRow),
        })),
        unavailable: found
          .filter((row) => row.is_locked)
          .map((row) => ({ organizationId: row.organization_id, serialNumber: row.serial_number })),
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

    /**
     * Writes the whole sync state of each device, whose rows the caller has locked. The transaction runs again where a
     * presence, which is not locked, has changed meanwhile.
     *
     * @throws PresencesTaken
     */
    async update(
      devices: Device[],
      presences: PresenceChange[] = [],
      locking: Locking = 'wait',
    ): Promise<void> {
      if (devices.length === 0 && presences.length === 0) return;
      const entries = devices.flatMap((device) =>
        configurationsOf(device).map((config) => ({ organizationId: device.organizationId, config })),
      );
      const ids = await configurations.insert(entries);
      const configIds = new Map(entries.map(({ config }, index) => [config, ids[index] as string]));
      const updated = await queryPrepared<{ asset_id: string }>(
        sql,
        locking === 'skip' ? 'devices_update_free' : 'devices_update',
        `with presence as (
           ${locking === 'skip' ? UPDATE_UNLOCKED_PRESENCE : UPDATE_PRESENCE}
         ), written as (
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
         ), settings as (
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
           ${REPLACE_SETTINGS}
         )
         select asset_id from presence`,
        [
          ...updatePresenceBindings(presences),
          ...writtenBindings(devices, configIds),
          ...settingsBindings(devices, configIds),
        ],
      );
      if (updated.length < presences.length) throw presencesTaken(presences, updated);
    },
  };
}

function presencesTaken(presences: PresenceChange[], updated: Array<{ asset_id: string }>): PresencesTaken {
  const written = new Set(updated.map(({ asset_id }) => asset_id));
  const taken = presences.map(({ assetId }) => assetId).filter((assetId) => !written.has(assetId));
  return Object.assign(staleRead('The presence of a device has changed meanwhile'), {
    assetIds: new Set(taken),
  });
}
