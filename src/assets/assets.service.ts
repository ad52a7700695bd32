import type { Sql } from '../db/database.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { CONFIGURATION_KEYS } from '../devices/configuration.ts';
import type { Device } from '../devices/device.ts';
import { newHardware } from '../devices/device.ts';
import { withdraw } from '../devices/device-sync.ts';
import { invalid, notFound } from '../process/errors.ts';
import { checkRegistrable, NO_SUCH_ASSET, sameSerial } from './asset.ts';
import type { AssetsRepository } from './assets.repository.ts';
import type { RegisterAsset } from './assets.schemas.ts';

/** The device's side of an asset: its sync state, locked while it changes. */
export interface AssetDevices {
  insert(organizationId: string, assetId: string): Promise<void>;
  lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]>;
  update(devices: Device[]): Promise<unknown>;
}

/** What the jobs that wait for an asset have to be told; each answers with the jobs concerned. */
export interface AssetTargets {
  cancelByAsset(assetId: string, reason: string): Promise<string[]>;
  reopen(assetIds: string[]): Promise<void>;
}

export interface AssetsServiceDeps {
  assetsIn(sql: Sql): AssetsRepository;
  devicesIn(sql: Sql): AssetDevices;
  targetsIn(sql: Sql): AssetTargets;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
  /** Nobody watches the assets any more. */
  alertsEnded(tx: InTransaction, assetIds: string[]): Promise<void>;
}

export type AssetsService = ReturnType<typeof createAssetsService>;

export function createAssetsService({
  assetsIn,
  devicesIn,
  targetsIn,
  jobsProgressed,
  alertsEnded,
}: AssetsServiceDeps) {
  return {
    /** Registers a device; answers with its asset id. 409 when an active asset has the serial. */
    register(transact: Transact, organizationId: string, asset: RegisterAsset): Promise<string> {
      checkRegistrable('serialNumber', asset.serialNumber);
      return transact(async ({ sql }) => {
        const id = await assetsIn(sql).insert(organizationId, {
          serialNumber: asset.serialNumber,
          name: asset.name ?? asset.serialNumber,
          model: asset.model ?? null,
          waterType: asset.waterType ?? null,
          floor: asset.floor ?? null,
          buildingId: asset.buildingId ?? null,
          spaceId: asset.spaceId ?? null,
        });
        await devicesIn(sql).insert(organizationId, id);
        return id;
      });
    },

    /** Takes the asset out of service: what was pending is withdrawn, jobs stop waiting for it, its history stays. */
    archive(transact: Transact, organizationId: string, id: string): Promise<void> {
      return transact(async ({ sql, afterCommit }) => {
        const [device] = await devicesIn(sql).lockByAsset(organizationId, [id]);
        if (!device) throw notFound(NO_SUCH_ASSET);
        await devicesIn(sql).update([{ ...device, sync: withdraw(device.sync, CONFIGURATION_KEYS) }]);
        await assetsIn(sql).archive(organizationId, id);
        const jobIds = await targetsIn(sql).cancelByAsset(id, 'the asset was archived');
        await alertsEnded({ sql }, [id]);
        afterCommit(() => jobsProgressed(organizationId, jobIds));
      });
    },

    /** Another logger takes the place of this one: it has to be configured as the old one was. */
    replaceHardware(transact: Transact, organizationId: string, id: string, fresh: string): Promise<void> {
      checkRegistrable('newSerialNumber', fresh);
      return transact(async ({ sql }) => {
        const [device] = await devicesIn(sql).lockByAsset(organizationId, [id]);
        // The serial beside the lock is the one from before the wait for it.
        const asset = device && (await assetsIn(sql).find(organizationId, id));
        if (!asset) throw notFound(NO_SUCH_ASSET);
        if (sameSerial(asset.serialNumber, fresh)) {
          throw invalid('newSerialNumber must differ from the present serial number');
        }
        await assetsIn(sql).replaceSerial(organizationId, id, { old: asset.serialNumber, fresh });
        await devicesIn(sql).update([newHardware(device)]);
        await targetsIn(sql).reopen([id]);
      });
    },
  };
}
