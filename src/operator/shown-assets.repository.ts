/** What pages show of assets beside the answers of operations. */
import { type AlertState, isTemperature } from '../alerts/device-alerts.ts';
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import type { Layout } from '../devices/device-capabilities.ts';

export interface ShownAsset extends Layout {
  name: string;
  serialNumber: string;
}

/** Channels in breach by asset id. */
export type Breaches = ReadonlyMap<string, readonly number[]>;

export interface DeviceContact {
  lastContactAt: Date | null;
  /** Deadline of the next contact; null: unknown. */
  expectedBy: Date | null;
  /**
   * Whether a profile is pending for the device, or it has confirmed one; otherwise, in sync only means that its
   * configuration has not changed.
   */
  hasHadProfile: boolean;
  /** The configuration that the device confirmed last, with the terms of its alerts. */
  confirmed: DeviceConfiguration | null;
  /** All that is pending, in the same way. */
  pending: DeviceConfiguration | null;
}

export type ShownAssetsRepository = ReturnType<typeof createShownAssetsRepository>;

export function createShownAssetsRepository(sql: Database) {
  return {
    async list(organizationId: string, assetIds: readonly string[]): Promise<Map<string, ShownAsset>> {
      if (assetIds.length === 0) return new Map();
      const ofAsset = (device: 's' | 'c') => ({
        [`${device}.organization_id`]: 'a.organization_id',
        [`${device}.asset_id`]: 'a.id',
      });
      const rows: Array<ShownAsset & { id: string }> = await sql({ a: 'assets' })
        .leftJoin({ s: 'device_states' }, ofAsset('s'))
        .leftJoin({ c: 'device_configs' }, ofAsset('c'))
        .where('a.organization_id', organizationId)
        .where(oneOf('a.id', [...new Set(assetIds)]))
        .select({ id: 'a.id', name: 'a.name', serialNumber: 'a.serial_number', model: 'a.model' })
        .select(sql.raw('coalesce(c.reported_channel_types, s.observed_channel_types) as "channelTypes"'));
      return new Map(rows.map(({ id, ...asset }) => [id, asset]));
    },

    /** Active assets by serial number in lower case. */
    async listBySerials(
      organizationId: string,
      serialNumbers: readonly string[],
    ): Promise<Map<string, { id: string; name: string }>> {
      if (serialNumbers.length === 0) return new Map();
      const keys = [...new Set(serialNumbers.map((serial) => serial.toLowerCase()))];
      const rows = await sql('assets')
        .where({ organization_id: organizationId, archived_at: null })
        .where(oneOf('lower(serial_number)', keys, 'text'))
        .select('id', 'name', 'serial_number');
      return new Map(rows.map(({ id, name, serial_number }) => [serial_number.toLowerCase(), { id, name }]));
    },

    /** Ids of the devices among these that have had no profile. */
    async listWithoutProfile(organizationId: string, assetIds: readonly string[]): Promise<Set<string>> {
      if (assetIds.length === 0) return new Set();
      const rows: Array<{ asset_id: string }> = await sql('device_configs')
        .where({ organization_id: organizationId, has_had_profile: false })
        .where(oneOf('asset_id', assetIds))
        .select('asset_id');
      return new Set(rows.map(({ asset_id }) => asset_id));
    },

    async listBreaches(organizationId: string, assetIds: readonly string[]): Promise<Breaches> {
      if (assetIds.length === 0) return new Map();
      const rows: Array<{ asset_id: string; open_alerts: AlertState[] }> = await sql('device_states')
        .where({ organization_id: organizationId })
        .where(oneOf('asset_id', assetIds))
        .select('asset_id', 'open_alerts');
      return new Map(
        rows.map((row) => [
          row.asset_id,
          row.open_alerts.filter(isTemperature).map(({ channel }) => channel),
        ]),
      );
    },

    async findContact(organizationId: string, assetId: string): Promise<DeviceContact | null> {
      const found = await sql({ s: 'device_states' })
        .join(
          { c: 'device_configs' },
          { 'c.organization_id': 's.organization_id', 'c.asset_id': 's.asset_id' },
        )
        .leftJoin(
          { k: 'configurations' },
          { 'k.organization_id': 'c.organization_id', 'k.id': 'c.confirmed_config_id' },
        )
        .leftJoin(
          { p: 'configurations' },
          { 'p.organization_id': 'c.organization_id', 'p.id': 'c.pending_config_id' },
        )
        .where({ 's.organization_id': organizationId, 's.asset_id': assetId })
        .first({
          lastContactAt: 's.last_contact_at',
          expectedBy: 's.expected_by',
          hasHadProfile: 'c.has_had_profile',
          confirmed: 'k.content',
          pending: 'p.content',
        });
      return found ?? null;
    },
  };
}
