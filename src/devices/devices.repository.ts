import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { DeviceConfiguration } from './configuration.ts';
import type { ConfigurationCache } from './configurations.repository.ts';
import { createConfigurationsRepository } from './configurations.repository.ts';
import type { ContactUpdate, Device, DeviceBackOnline } from './device.ts';
import { toRuleSlots } from './device-capabilities.ts';
import type { DeviceSync } from './device-sync.ts';
import type { SerialInOrganization } from './serial-number.ts';

interface DeviceRow {
  asset_id: string;
  organization_id: string;
  serial_number: string;
  reported_config_id: string | null;
  reported_at: Date | null;
  reported_hash: number | null;
  confirmed_config_id: string | null;
  pending_config_id: string | null;
  revision: number;
  fetched_at: Date | null;
  contradiction_count: number;
  failure_reason: string | null;
  observed_hash: number | null;
  model: string | null;
  reported_channel_types: number[] | null;
  rule_slots: number;
  channels_reported: boolean;
}

const COLUMNS = `d.asset_id, d.organization_id, a.serial_number, d.reported_config_id, d.reported_at,
  d.reported_hash, d.confirmed_config_id, d.pending_config_id, d.revision, d.fetched_at, d.contradiction_count, d.failure_reason,
  d.observed_hash, a.model, d.reported_channel_types, d.rule_slots, d.channels_reported`;

export function createDevicesRepository(sql: Sql, cache: ConfigurationCache) {
  const configurations = createConfigurationsRepository(sql, cache);

  async function devicesOf(rows: DeviceRow[]): Promise<Device[]> {
    const contents = await configurations.find(
      rows.flatMap((row) => [row.reported_config_id, row.confirmed_config_id, row.pending_config_id]),
    );
    return rows.map((row) => deviceOf(row, contents));
  }

  /**
   * The serial is read before the lock is waited for: new hardware may have come meanwhile, and what the old one says
   * must not be taken for its word.
   */
  async function recheckSerials(rows: DeviceRow[]): Promise<DeviceRow[]> {
    if (rows.length === 0) return rows;
    const named = await queryPrepared<{ id: string; serial_number: string }>(
      sql,
      'devices_still_named',
      'select id, serial_number from assets where id = any(?::uuid[])',
      [rows.map((row) => row.asset_id)],
    );
    const serialOf = new Map(named.map(({ id, serial_number }) => [id, serial_number]));
    return rows.filter((row) => serialOf.get(row.asset_id) === row.serial_number);
  }

  return {
    /** One active device by its serial, with the name of its asset. */
    async find(
      organizationId: string,
      serialNumber: string,
    ): Promise<(Device & { assetName: string }) | null> {
      const [row] = await queryPrepared<DeviceRow & { asset_name: string }>(
        sql,
        'devices_find',
        `select ${COLUMNS}, a.name as asset_name
         from assets a join device_configs d on d.asset_id = a.id
         where a.organization_id = ? and lower(a.serial_number) = lower(?) and a.archived_at is null`,
        [organizationId, serialNumber],
      );
      if (!row) return null;
      const [device] = await devicesOf([row]);
      return { ...(device as Device), assetName: row.asset_name };
    },

    /** Active devices by serial, locked in one order; what is not registered is left out. */
    async lockBySerial(serials: SerialInOrganization[]): Promise<Device[]> {
      const rows = await queryPrepared<DeviceRow>(
        sql,
        'devices_lock_by_serial',
        `select ${COLUMNS}
         from unnest(?::uuid[], ?::text[]) as wanted (organization_id, serial_number)
         -- One look into the index per serial: joined freely, a batch may read all assets instead.
         cross join lateral (
           select id, serial_number, model from assets
           where organization_id = wanted.organization_id
             and lower(serial_number) = lower(wanted.serial_number) and archived_at is null
           limit 1
         ) as a
         join device_configs d on d.asset_id = a.id and d.is_active
         order by d.asset_id for no key update of d`,
        [serials.map((each) => each.organizationId), serials.map((each) => each.serialNumber)],
      );
      return devicesOf(await recheckSerials(rows));
    },

    /** Devices by asset id, locked in one order. */
    async lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]> {
      const rows = await query<DeviceRow>(
        sql,
        `select ${COLUMNS}
         from device_configs d join assets a on a.id = d.asset_id
         where d.organization_id = ? and d.asset_id = any(?::uuid[]) and d.is_active
         order by d.asset_id for no key update of d`,
        [organizationId, assetIds],
      );
      return devicesOf(rows);
    },

    /** The rows of a new asset's device: what it is configured with, and what is heard of it. */
    async insert(organizationId: string, assetId: string): Promise<void> {
      await query(
        sql,
        `with d as (select ?::uuid as asset_id, ?::uuid as organization_id), state as (
           insert into device_states (asset_id, organization_id) select asset_id, organization_id from d
         )
         insert into device_configs (asset_id, organization_id) select asset_id, organization_id from d`,
        [assetId, organizationId],
      );
    },

    /**
     * Writes the whole sync state of each device; all rows are held by `lock…` before. Those heard are online; a time
     * by which a device is expected is put off, never brought forward. Answers with those that had been missed.
     */
    async update(devices: Device[], heard: ContactUpdate[] = []): Promise<DeviceBackOnline[]> {
      if (devices.length === 0 && heard.length === 0) return [];
      const entries = devices.flatMap(({ organizationId, sync }) =>
        contentsOf(sync).map((config) => ({ organizationId, config })),
      );
      const ids = await configurations.insert(entries);
      const idsByConfig = new Map(entries.map(({ config }, index) => [config, ids[index] as string]));
      const column = <T>(value: (device: Device) => T) => devices.map(value);
      const idOf = (config: DeviceConfiguration | null | undefined) =>
        config ? (idsByConfig.get(config) as string) : null;
      return queryPrepared(
        sql,
        'devices_update',
        `with heard as (
           update device_states s set
             status = 'online',
             last_contact_at = case s.status when 'online' then s.last_contact_at else h.at end,
             expected_by = case s.status
               when 'new' then s.expected_by when 'offline' then h.expected_by
               else greatest(s.expected_by, h.expected_by) end
           from unnest(?::uuid[], ?::timestamptz[], ?::timestamptz[], ?::boolean[])
             as h (asset_id, at, expected_by, has_other_interval)
           where s.asset_id = h.asset_id
             and (s.status <> 'online' or (h.has_other_interval and h.expected_by > s.expected_by))
           returning s.organization_id, s.asset_id, s.open_alerts, old.status as was
         ), written as (
           update device_configs d set
             reported_config_id = n.reported_config_id, reported_at = n.reported_at,
             reported_hash = n.reported_hash,
             confirmed_config_id = n.confirmed_config_id, pending_config_id = n.pending_config_id,
             revision = n.revision, fetched_at = n.fetched_at, contradiction_count = n.contradiction_count, failure_reason = n.failure_reason,
             observed_hash = n.observed_hash, reported_channel_types = n.reported_channel_types::smallint[], rule_slots = n.rule_slots,
             channels_reported = n.channels_reported
           from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::bigint[], ?::uuid[], ?::uuid[], ?::bigint[], ?::timestamptz[],
               ?::smallint[], ?::text[], ?::bigint[], ?::text[], ?::smallint[], ?::boolean[])
             as n (asset_id, reported_config_id, reported_at, reported_hash, confirmed_config_id, pending_config_id, revision,
               fetched_at, contradiction_count, failure_reason, observed_hash, reported_channel_types, rule_slots, channels_reported)
           where d.asset_id = n.asset_id
         )
         select organization_id as "organizationId", asset_id as "assetId", open_alerts as "openAlerts"
         from heard where was = 'offline'`,
        [
          heard.map(({ assetId }) => assetId),
          heard.map(({ at }) => at.toISOString()),
          heard.map(({ expectedBy }) => expectedBy?.toISOString() ?? null),
          heard.map(({ hasOtherInterval }) => hasOtherInterval),
          column((device) => device.assetId),
          column((device) => idOf(device.sync.reported?.config)),
          column((device) => device.sync.reported?.at.toISOString() ?? null),
          column((device) => device.sync.reported?.hash ?? null),
          column((device) => idOf(device.sync.confirmed)),
          column((device) => idOf(device.sync.pending?.config)),
          column((device) => device.sync.revision),
          column((device) => device.sync.pending?.fetchedAt?.toISOString() ?? null),
          column((device) => device.sync.pending?.contradictions ?? 0),
          column((device) => device.sync.pending?.failure ?? null),
          column((device) => device.sync.observedHash),
          column(({ capabilities }) => capabilities.channelTypes && `{${capabilities.channelTypes.join()}}`),
          column(({ capabilities }) => capabilities.ruleSlots),
          column((device) => device.areChannelsReported),
        ],
      );
    },
  };
}

const contentsOf = ({ reported, confirmed, pending }: DeviceSync): DeviceConfiguration[] =>
  [reported?.config, confirmed, pending?.config].filter((config) => config != null);

function deviceOf(row: DeviceRow, contents: Map<string, DeviceConfiguration>): Device {
  const content = (id: string | null) => (id === null ? null : (contents.get(id) ?? null));
  const reported = content(row.reported_config_id);
  const pending = content(row.pending_config_id);
  return {
    assetId: row.asset_id,
    organizationId: row.organization_id,
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
        failure: row.failure_reason,
      },
      observedHash: row.observed_hash,
    },
  };
}
