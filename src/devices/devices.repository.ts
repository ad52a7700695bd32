import type { Sql } from '../db/database.ts';
import type { Locking } from '../db/locking-commit.ts';
import { query, queryPrepared, sentTogether } from '../db/query.ts';
import { type AssetRef, assetKeys } from './asset-ref.ts';
import {
  type ConfigurationCache,
  createConfigurationsRepository,
  rememberReferenced,
} from './configurations.repository.ts';
import type { Device, DeviceInfoReport } from './device.ts';
import {
  configurationsOf,
  type DeviceRow,
  type RunningRow,
  settingsBindings,
  toDevice,
  writtenBindings,
} from './device-row.ts';
import {
  FIND_BY_SERIAL,
  INSERT,
  LOCK_BY_ASSET,
  lockBySerial,
  STORE_INFOS,
  UPDATE,
} from './devices.statements.ts';
import { type SerialInOrganization, serialKeyOf, serialKeys } from './serial-number.ts';

type Row = DeviceRow & RunningRow;

interface LockedBySerial {
  devices: Device[];
  /** Active devices that another transaction has locked; they are left out. */
  unavailable: SerialInOrganization[];
}

export type DevicesRepository = ReturnType<typeof createDevicesRepository>;

export function createDevicesRepository(sql: Sql, cache: ConfigurationCache) {
  const configurations = createConfigurationsRepository(sql, cache);

  /** Rows that are locked: none of the configurations that they refer to can go meanwhile. */
  function lockedDevicesOf(rows: Row[]): Promise<Device[]> {
    for (const row of rows) rememberReferenced(sql, configIdsOf(row));
    return devicesOf(rows);
  }

  async function devicesOf(rows: Row[]): Promise<Device[]> {
    const contents = await configurations.find(
      rows.map((row) => ({ organizationId: row.organization_id, configIds: configIdsOf(row) })),
    );
    return rows.map((row) => toDevice(row, contents));
  }

  const readBySerial = (serials: SerialInOrganization[]): Promise<Row[]> =>
    queryPrepared(sql, 'devices_find_by_serial', FIND_BY_SERIAL, serialKeys(serials));

  return {
    /** One active device by its serial. */
    async find(organizationId: string, serialNumber: string): Promise<Device | null> {
      const [device] = await devicesOf(await readBySerial([{ organizationId, serialNumber }]));
      return device ?? null;
    },

    /** Active devices by serial, not locked. Serials that are not registered are left out. */
    findBySerial: async (serials: SerialInOrganization[]): Promise<Device[]> =>
      serials.length === 0 ? [] : devicesOf(await readBySerial(serials)),

    /**
     * Locks active devices by serial, and reads them once they are locked: their hardware may have been replaced while the
     * transaction waited, and a message of the old one must not count as one of the new. Both statements are sent together.
     */
    async lockBySerial(serials: SerialInOrganization[], locking: Locking): Promise<LockedBySerial> {
      if (serials.length === 0) return { devices: [], unavailable: [] };
      const [found, rows] = await sentTogether([
        queryPrepared<SerialInOrganization & { isLocked: boolean }>(
          sql,
          locking === 'skip' ? 'devices_lock_free_by_serial' : 'devices_lock_by_serial',
          lockBySerial(locking),
          serialKeys(serials),
        ),
        readBySerial(serials),
      ]);
      const own = new Set(found.filter(({ isLocked }) => !isLocked).map(serialKeyOf));
      return {
        devices: await lockedDevicesOf(rows.filter((row) => own.has(keyOfRow(row)))),
        unavailable: found.filter(({ isLocked }) => isLocked),
      };
    },

    /** Locks active devices by asset id. */
    async lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]> {
      return lockedDevicesOf(await query<Row>(sql, LOCK_BY_ASSET, { organizationId, assetIds }));
    },

    /** Inserts the rows of the devices of new assets: configuration and state. */
    async insert(organizationId: string, assetIds: string[]): Promise<void> {
      await query(sql, INSERT, { organizationId, assetIds });
    },

    /** Writes the whole sync state of each device, whose rows the caller has locked. */
    async update(devices: Device[]): Promise<void> {
      if (devices.length === 0) return;
      const entries = devices.flatMap((device) =>
        configurationsOf(device).map((config) => ({ organizationId: device.organizationId, config })),
      );
      const ids = await configurations.insert(entries);
      const configIds = new Map(entries.map(({ config }, index) => [config, ids[index] as string]));
      await queryPrepared(sql, 'devices_update', UPDATE, {
        ...writtenBindings(devices, configIds),
        ...settingsBindings(devices, configIds),
      });
    },

    /** Keeps the latest info of each device. */
    async storeInfos(
      reports: Array<AssetRef & Pick<DeviceInfoReport, 'info' | 'receivedAt'>>,
    ): Promise<void> {
      if (reports.length === 0) return;
      await query(sql, STORE_INFOS, {
        ...assetKeys(reports),
        infos: reports.map(({ info, receivedAt }) =>
          JSON.stringify({ ...info, receivedAt: receivedAt.toISOString() }),
        ),
      });
    },
  };
}

const configIdsOf = (row: Row): Array<string | null> => [
  row.reported_config_id,
  row.confirmed_config_id,
  row.pending_config_id,
  row.settings_config_id,
];

const keyOfRow = ({ organization_id, serial_number }: Row): string =>
  serialKeyOf({ organizationId: organization_id, serialNumber: serial_number });
