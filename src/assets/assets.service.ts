import type { Database } from '../db/database.ts';
import type { InTransaction, Transact, Transaction } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { hasSameAlertRules } from '../devices/configuration.ts';
import { archived, type Device, newHardware, withSettings } from '../devices/device.ts';
import { capabilitiesKey, hasKnownLayout } from '../devices/device-capabilities.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import { sameSerial } from '../devices/serial-number.ts';
import { invalid, notFound, orNotFound } from '../process/errors.ts';
import {
  checkRegistrable,
  type ListedAsset,
  NO_SUCH_ASSET,
  NO_SUCH_GROUP,
  newAsset,
  type Registration,
} from './asset.ts';
import type { AssetsRepository } from './assets.repository.ts';
import type { ChangeAsset } from './assets.schemas.ts';

/** The sync states of devices, locked while they change. */
interface AssetDevices {
  insert(organizationId: string, assetIds: string[]): Promise<void>;
  lockByAsset(organizationId: string, assetIds: string[]): Promise<Device[]>;
  update(devices: Device[]): Promise<unknown>;
}

/** The targets of an asset in jobs. */
interface AssetTargets {
  /** Cancels open ones. Returns the ids of the jobs. */
  cancelByAsset(organizationId: string, assetId: string, reason: string): Promise<string[]>;
  /** Cancels failed ones in jobs that run, which no longer count the asset. Returns the ids of these jobs. */
  cancelFailedByAsset(organizationId: string, assetId: string, reason: string): Promise<string[]>;
  /** The new hardware has to fetch changes that the earlier one had fetched. */
  reoffer(devices: AssetRef[]): Promise<void>;
}

/** The groups that assets join and leave. */
export interface AssetGroups {
  /** Ids by the names as they were given; names without a group are left out. */
  findByNames(sql: Database, organizationId: string, names: string[]): Promise<ReadonlyMap<string, string>>;
  /** Existing ids among them, locked until the transaction ends. */
  lock(sql: Database, organizationId: string, groupIds: string[]): Promise<ReadonlySet<string>>;
  /** Offers the profile of the group to new assets, which are in it already. */
  offerProfiles(
    tx: Transaction,
    organizationId: string,
    assetsByGroup: ReadonlyMap<string, string[]>,
  ): Promise<unknown>;
  /** Null: out of its group. @throws not found when there is no such group. */
  move(tx: Transaction, organizationId: string, assetId: string, groupId: string | null): Promise<void>;
}

export interface AssetsServiceDeps {
  assetsIn(sql: Database): AssetsRepository;
  devicesIn(sql: Database): AssetDevices;
  targetsIn(sql: Database): AssetTargets;
  groups: AssetGroups;
  /** What waited for the end of a maintenance waits no longer. */
  mutes: {
    endAny(tx: Transaction, asset: { organizationId: string; assetId: string }): Promise<void>;
    onMembersLeft(tx: Transaction, organizationId: string, groupIds: string[]): Promise<void>;
  };
  jobsProgressed(organizationId: string, jobIds: string[]): void;
  /** Removes the tokens of single devices with these serial numbers. */
  removeTokens(sql: Database, organizationId: string, serialNumbers: readonly string[]): Promise<unknown>;
  /** As for a message of the device (devices/device-exchange.service.ts). */
  recompile(sql: Database, devices: Device[]): Promise<Device[]>;
  /** Called for devices whose alert rules change now. */
  onAlertRulesChanged(tx: InTransaction, devices: AssetRef[]): Promise<void>;
  /** Resolves the open alerts of archived assets. */
  resolveAlerts(tx: InTransaction, assets: AssetRef[]): Promise<void>;
  /** Resolves the open alerts about the battery and the sensors of replaced loggers. */
  resolveConditions(tx: InTransaction, assets: AssetRef[]): Promise<void>;
  now(): Date;
}

export type AssetsService = ReturnType<typeof createAssetsService>;

/** Reason of cancelled targets, shown to the customer. */
const ARCHIVED = 'the asset was archived';

export function createAssetsService({
  assetsIn,
  devicesIn,
  targetsIn,
  groups,
  mutes,
  jobsProgressed,
  removeTokens,
  recompile,
  onAlertRulesChanged,
  resolveAlerts,
  resolveConditions,
  now,
}: AssetsServiceDeps) {
  /** The model tells the channels of a device that has not shown them: its changes are compiled again. */
  async function changeModel(tx: Transaction, before: Device, model: string | null): Promise<void> {
    const device = { ...before, capabilities: { ...before.capabilities, model } };
    if (capabilitiesKey(device.capabilities) === capabilitiesKey(before.capabilities)) return;
    const next = await compiledAgain(tx.sql, device, now());
    if (next.sync !== before.sync) await offer(tx, before, next);
  }

  async function compiledAgain(sql: Database, device: Device, at: Date): Promise<Device> {
    const [recompiled = device] = await recompile(sql, [device]);
    return withSettings(device.sync, recompiled, at);
  }

  async function offer(tx: Transaction, before: Device, next: Device): Promise<void> {
    await devicesIn(tx.sql).update([next]);
    await targetsIn(tx.sql).reoffer([next]);
    if (!hasSameAlertRules(monitoredConfig(before.sync), monitoredConfig(next.sync)))
      await onAlertRulesChanged(tx, [next]);
  }

  /** Ends the tokens of all loggers of an archived asset, except those that another asset has now. */
  async function endTokens(sql: Database, { organizationId, assetId }: AssetRef, serialNumber: string) {
    const assets = assetsIn(sql);
    const replaced = await assets.listReplacedSerials(organizationId, assetId);
    const serialNumbers = [serialNumber, ...replaced];
    const inUse = await assets.findBySerials(organizationId, serialNumbers);
    const isInUse = (each: string) => inUse.some((asset) => sameSerial(asset.serialNumber, each));
    await removeTokens(
      sql,
      organizationId,
      serialNumbers.filter((each) => !isInUse(each)),
    );
  }

  return {
    /** @throws conflict when an active asset has the serial, not found when there is no such group. */
    register(transact: Transact, organizationId: string, registration: Registration): Promise<string> {
      checkRegistrable('serialNumber', registration.serialNumber);
      const asset = newAsset(registration);
      const { groupId } = asset;
      return transact(async (tx) => {
        if (groupId !== null && !(await groups.lock(tx.sql, organizationId, [groupId])).has(groupId)) {
          throw notFound(NO_SUCH_GROUP);
        }
        const id = await assetsIn(tx.sql).insert(organizationId, asset);
        await devicesIn(tx.sql).insert(organizationId, [id]);
        if (groupId !== null) await groups.offerProfiles(tx, organizationId, new Map([[groupId, [id]]]));
        return id;
      });
    },

    /** Absent fields stay; null clears. Answers with the changed asset. */
    change(
      transact: Transact,
      organizationId: string,
      id: string,
      { groupId, ...change }: ChangeAsset,
    ): Promise<ListedAsset> {
      return transact(async (tx) => {
        const assets = assetsIn(tx.sql);
        if (groupId !== undefined) await groups.move(tx, organizationId, id, groupId);
        const { model } = change;
        // Devices are locked before their assets.
        const [device] = model === undefined ? [] : await devicesIn(tx.sql).lockByAsset(organizationId, [id]);
        const before = orNotFound(await assets.lock(organizationId, id), NO_SUCH_ASSET);
        await assets.update(organizationId, id, { ...before, ...change });
        if (device && model !== undefined) await changeModel(tx, device, model);
        return (await assets.find(organizationId, id)) as ListedAsset;
      });
    },

    /**
     * Withdraws the pending change, cancels the targets, removes the tokens and resolves the alerts; the
     * history stays.
     */
    archive(transact: Transact, organizationId: string, id: string): Promise<void> {
      return transact(async (tx) => {
        const { sql, afterCommit } = tx;
        const [found] = await devicesIn(sql).lockByAsset(organizationId, [id]);
        const device = orNotFound(found, NO_SUCH_ASSET);
        await devicesIn(sql).update([archived(device, now())]);
        const { serialNumber, groupId } = orNotFound(
          await assetsIn(sql).lock(organizationId, id),
          NO_SUCH_ASSET,
        );
        await mutes.endAny(tx, { organizationId, assetId: id });
        await assetsIn(sql).archive(organizationId, id);
        await endTokens(sql, { organizationId, assetId: id }, serialNumber);
        if (groupId !== null) await mutes.onMembersLeft(tx, organizationId, [groupId]);
        const targets = targetsIn(sql);
        const open = await targets.cancelByAsset(organizationId, id, ARCHIVED);
        const failed = await targets.cancelFailedByAsset(organizationId, id, ARCHIVED);
        await resolveAlerts(tx, [{ organizationId, assetId: id }]);
        afterCommit(() => jobsProgressed(organizationId, [...open, ...failed]));
      });
    },

    /** Makes the configuration of the earlier logger pending for the new one, and resolves alerts about its hardware. */
    replaceHardware(
      transact: Transact,
      organizationId: string,
      id: string,
      newSerial: string,
    ): Promise<void> {
      checkRegistrable('newSerialNumber', newSerial);
      return transact(async (tx) => {
        const { sql } = tx;
        const [found] = await devicesIn(sql).lockByAsset(organizationId, [id]);
        const device = orNotFound(found, NO_SUCH_ASSET);
        // Reads under the lock, because the serial read before the wait may be outdated.
        const asset = orNotFound(await assetsIn(sql).find(organizationId, id), NO_SUCH_ASSET);
        if (sameSerial(asset.serialNumber, newSerial)) {
          throw invalid('newSerialNumber must differ from the present serial number');
        }
        await assetsIn(sql).replaceSerial(organizationId, id, {
          previousSerial: asset.serialNumber,
          newSerial,
        });
        const at = now();
        const next = newHardware(device, at);
        // A new logger that shows the channels which the model tells changes nothing later.
        await offer(
          tx,
          device,
          hasKnownLayout(next.capabilities) ? await compiledAgain(sql, next, at) : next,
        );
        await resolveConditions(tx, [{ organizationId, assetId: id }]);
      });
    },
  };
}
