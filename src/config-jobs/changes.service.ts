/**
 * Offers the changes of a job to devices and withdraws them, with what that means for other jobs on the same devices.
 * Runs in the transaction of the caller, who has locked the devices.
 */
import type { Sql } from '../db/database.ts';
import type { InTransaction } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import {
  type ConfigurationKey,
  type DeviceConfiguration,
  hasSameAlertRules,
  keysOf,
  merged,
} from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import { followsTimeZone } from '../devices/device-row.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { findConflicts, memoized, refusedWithout, withdrawChange } from './changes.ts';
import type { ChangesOwner, JobRef } from './config-job.ts';
import type { ActiveChange, DeviceTargetsRepository } from './device-targets.repository.ts';

export interface ChangesDeps {
  configurationsIn(sql: Sql): ConfigurationsRepository;
  pendingIn(sql: Sql): PendingChangesRepository;
  deviceTargetsIn(sql: Sql): DeviceTargetsRepository;
  /** Other alert rules apply to these devices from now on. */
  onAlertRulesChanged(tx: InTransaction, devices: AssetRef[]): Promise<void>;
}

/** A device and the change that a job has for it. */
export interface DeviceChange {
  device: Pick<ChangingDevice, 'assetId' | 'pendingConfigId' | 'confirmedConfigId' | 'refusedKeys'>;
  changeId: string;
  /** The group for whose profile the device has the change. */
  groupId?: string | null;
}

/** What is pending for a device from now on; the same object for all devices that are alike. */
interface NextPending {
  config: DeviceConfiguration | null;
  refusedKeys: ConfigurationKey[];
  hasOtherAlertRules: boolean;
}

export type ChangesService = ReturnType<typeof createChangesService>;

export function createChangesService(deps: ChangesDeps) {
  const { configurationsIn, deviceTargetsIn } = deps;

  async function merge(sql: Sql, organizationId: string, changes: DeviceChange[]): Promise<void> {
    const contents = await configurationsIn(sql).find([
      {
        organizationId,
        configIds: changes.flatMap(({ device, changeId }) => [device.pendingConfigId, changeId]),
      },
    ]);
    const nextOf = memoized(keyOf, (change: DeviceChange) => mergedPending(change, contents));
    const next = changes.map((change) => ({ device: change.device, ...nextOf(change) }));
    await assign(deps, sql, organizationId, next);
  }

  /** Other jobs' changes that contradict these are superseded; answers with the ids of the jobs. */
  async function supersede(sql: Sql, job: JobRef, changes: DeviceChange[]): Promise<string[]> {
    const { organizationId } = job;
    const targets = deviceTargetsIn(sql);
    const assetIds = changes.map(({ device }) => device.assetId);
    const existingIds = await targets.listActiveChangeIds(job, assetIds);
    if (existingIds.length === 0) return [];
    const changeIds = changes.map(({ changeId }) => changeId);
    const configIds = [...existingIds, ...changeIds];
    const contents = await configurationsIn(sql).find([{ organizationId, configIds }]);
    const conflicts = findConflicts(existingIds, [...new Set(changeIds)], contents);
    const superseded = await targets.supersede(job, { assetIds, changeIds, conflicts });
    await targets.reoffer(assetIds.map((assetId) => ({ organizationId, assetId })));
    return superseded;
  }

  /**
   * Takes the owner's changes out of what is pending, but for the keys that other jobs still want: also those that have
   * timed out, unless the owner retries them. Where nothing is taken out, the device keeps the revision that it may have
   * fetched.
   */
  async function withdraw(sql: Sql, owner: ChangesOwner, changes: DeviceChange[]): Promise<void> {
    const { organizationId } = owner;
    const targets = deviceTargetsIn(sql);
    const assetIds = changes.map(({ device }) => device.assetId);
    const retried = await targets.listRetriedJobs(owner);
    const offered = byAsset(await targets.listOffered(owner, retried, assetIds));
    const givenUp = byAsset(await targets.listGivenUp(owner, retried, assetIds));
    const contents = await configurationsIn(sql).find([
      {
        organizationId,
        configIds: [
          ...changes.flatMap(({ device, changeId }) => [device.pendingConfigId, changeId]),
          ...[...offered.values(), ...givenUp.values()].flat(),
        ],
      },
    ]);
    const othersOf = ({ device }: DeviceChange) => offered.get(device.assetId) ?? [];
    const nextOf = memoized(
      (change: DeviceChange) => `${keyOf(change)} ${othersOf(change).join()}`,
      (change) => pendingWithout(change, othersOf(change), contents),
    );
    const next = changes
      .filter(({ device }) => device.pendingConfigId !== null)
      .map((change) => ({ device: change.device, ...nextOf(change) }))
      .filter(({ withdrawn }) => withdrawn.length > 0);
    await assign(deps, sql, organizationId, next);
    await targets.reoffer(next.map(({ device }) => ({ organizationId, assetId: device.assetId })));
    await targets.release(
      next.flatMap(({ device: { assetId }, withdrawn }) =>
        (givenUp.get(assetId) ?? [])
          .filter((id) => withdrawn.some((key) => contentOf(contents, id)[key] !== undefined))
          .map((changeId) => ({ organizationId, assetId, changeId })),
      ),
    );
  }

  return {
    withdraw,

    /** Merges each change into what is pending; answers with the ids of the jobs that have superseded targets now. */
    async put(sql: Sql, job: JobRef, changes: DeviceChange[]): Promise<string[]> {
      if (changes.length === 0) return [];
      await merge(sql, job.organizationId, changes);
      return supersede(sql, job, changes);
    },
  };
}

const keyOf = ({ device: { pendingConfigId, refusedKeys }, changeId }: DeviceChange) =>
  `${pendingConfigId} ${refusedKeys?.join()} ${changeId}`;

function mergedPending({ device, changeId }: DeviceChange, contents: ConfigurationContents): NextPending {
  const pending = device.pendingConfigId === null ? null : contentOf(contents, device.pendingConfigId);
  const change = contentOf(contents, changeId);
  const config = merged(pending, change);
  const refusedKeys = refusedWithout(pending, device, keysOf(change));
  // Where nothing was pending, nothing monitored the device, and no alert can be open.
  return { config, refusedKeys, hasOtherAlertRules: pending !== null && !hasSameAlertRules(pending, config) };
}

function pendingWithout(
  { device, changeId }: DeviceChange,
  otherIds: string[],
  contents: ConfigurationContents,
): NextPending & { withdrawn: ConfigurationKey[] } {
  const pending = contentOf(contents, device.pendingConfigId as string);
  const others = otherIds.map((id) => contentOf(contents, id));
  const config = withdrawChange(pending, contentOf(contents, changeId), others);
  const withdrawn = keysOf(pending).filter((key) => config?.[key] === undefined);
  const refusedKeys = refusedWithout(pending, device, withdrawn);
  return { config, refusedKeys, withdrawn, hasOtherAlertRules: !hasSameAlertRules(pending, config) };
}

/** Stores each distinct configuration once, and makes it pending. */
async function assign(
  { configurationsIn, pendingIn, onAlertRulesChanged }: ChangesDeps,
  sql: Sql,
  organizationId: string,
  next: Array<NextPending & { device: DeviceChange['device'] }>,
): Promise<void> {
  const configs = [...new Set(next.flatMap(({ config }) => config ?? []))];
  const ids = await configurationsIn(sql).insert(configs.map((config) => ({ organizationId, config })));
  const idOf = new Map(configs.map((config, index) => [config, ids[index] as string]));
  await pendingIn(sql).assign(
    organizationId,
    next.map(({ device, config, refusedKeys }) => ({
      assetId: device.assetId,
      configId: config && (idOf.get(config) as string),
      followsTimeZone: followsTimeZone(config),
      refusedKeys,
      isRefused: config !== null && keysOf(config).every((key) => refusedKeys.includes(key)),
    })),
  );
  const changed = next.filter((each) => each.hasOtherAlertRules && isMonitoredByPending(each.device));
  await onAlertRulesChanged(
    { sql },
    changed.map(({ device }) => ({ organizationId, assetId: device.assetId })),
  );
}

/** Nothing but what is pending monitors the device. */
const isMonitoredByPending = ({ confirmedConfigId }: DeviceChange['device']) =>
  monitoredConfig({ confirmed: confirmedConfigId, pending: null }) === null;

function byAsset(changes: ActiveChange[]): Map<string, string[]> {
  const changeIds = new Map<string, string[]>();
  for (const { assetId, changeId } of changes) {
    changeIds.set(assetId, [...(changeIds.get(assetId) ?? []), changeId].sort());
  }
  return changeIds;
}
