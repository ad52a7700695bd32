/**
 * Offers the changes of a job to devices, withdraws them, and updates other jobs on the same devices
 * accordingly. Runs in the transaction of the caller, who has locked the devices.
 */

import type { Database, Sql } from '../db/database.ts';
import type { InTransaction, Transaction } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import {
  type ConfigurationContents,
  type ConfigurationKey,
  contentOf,
  type DeviceConfiguration,
  hasSameAlertRules,
  keysOf,
  measurementIntervalSeconds,
  merged,
  without,
} from '../devices/configuration.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import { capabilitiesKey } from '../devices/device-capabilities.ts';
import { followsTimeZone } from '../devices/device-row.ts';
import { inheritedBy, monitoredConfig, pendingWithout } from '../devices/device-sync.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { endChanges, overwrittenKeys, repeatsRules } from '../devices/pending-owners.ts';
import { grouped } from '../process/grouped.ts';
import { memoized } from '../process/memoized.ts';
import { inSlices } from '../process/pages.ts';
import { fitted } from '../profiles/compile-profile.ts';
import { knownConfig, knownConfigIds, toCapabilities } from './compile-devices.ts';
import type { ChangesOwner, JobRef } from './config-job.ts';
import type { ActiveChange } from './config-targets.repository.ts';
import type { Conflict, DeviceTargetsRepository, Meeting, OtherChange } from './device-targets.repository.ts';

export interface ChangesDeps {
  configurationsIn(sql: Sql): ConfigurationsRepository;
  pendingIn(sql: Sql): PendingChangesRepository;
  deviceTargetsIn(sql: Database): DeviceTargetsRepository;
  /** Called for devices whose alert rules change now. */
  onAlertRulesChanged(tx: InTransaction, devices: AssetRef[]): Promise<void>;
  /** Lets other work of the process go first. */
  nextTurn(): Promise<unknown>;
  now(): Date;
}

/** Pairs of changes, whose rules take some 0.1 ms to compare. */
const COMPARED_AT_ONCE = 500;

/** A device and the change that a job has for it. */
export interface DeviceChange {
  device: Pick<ChangingDevice, 'assetId' | 'pendingConfigId' | 'confirmedConfigId' | 'refusedKeys'>;
  changeId: string;
  /** The group whose profile this change brings. */
  groupId?: string | null;
}

/** The next pending change of a device; devices that are alike share one object. */
interface NextPending {
  config: DeviceConfiguration | null;
  refusedKeys: ConfigurationKey[];
  /** Why the device refused the keys; null: the stored reason stays. */
  refusalReason: string | null;
  hasOtherAlertRules: boolean;
}

export type ChangesService = ReturnType<typeof createChangesService>;

export function createChangesService(deps: ChangesDeps) {
  const { configurationsIn, deviceTargetsIn } = deps;

  async function merge(
    tx: InTransaction,
    { organizationId, jobId }: JobRef,
    changes: DeviceChange[],
  ): Promise<void> {
    const { sql } = tx;
    const contents = await configurationsIn(sql).find([
      {
        organizationId,
        configIds: changes.flatMap(({ device, changeId }) => [device.pendingConfigId, changeId]),
      },
    ]);
    const nextOf = memoized(keyOf, (change: DeviceChange) => mergedPending(change, contents));
    const next = changes.map((change) => ({ device: change.device, ...nextOf(change) }));
    await assign(deps, tx, { organizationId, jobId }, next);
  }

  /**
   * Supersedes the targets of other jobs whose keys these changes overwrite. Returns the ids of these jobs.
   */
  async function supersede(sql: Database, job: JobRef, changes: DeviceChange[]): Promise<string[]> {
    const { organizationId } = job;
    const targets = deviceTargetsIn(sql);
    const assetIds = changes.map(({ device }) => device.assetId);
    const changeIds = changes.map(({ changeId }) => changeId);
    const meetings = await targets.listMeeting(job, { assetIds, changeIds });
    if (meetings.length === 0) return [];
    const configIds = meetings.flatMap(({ existing, incoming }) => [existing, incoming]);
    const contents = await configurationsIn(sql).find([{ organizationId, configIds }]);
    const conflicts: Conflict[] = [];
    for (const slice of inSlices(meetings, COMPARED_AT_ONCE)) {
      for (const conflict of findConflicts(slice, contents)) conflicts.push(conflict);
      await deps.nextTurn();
    }
    const superseded = await targets.supersede(job, { assetIds, changeIds, conflicts });
    await targets.reoffer(assetIds.map((assetId) => ({ organizationId, assetId })));
    return superseded;
  }

  /** The next pending changes of the devices whose pending change the end of the owner's changes affects. */
  async function planWithdrawal(
    sql: Database,
    owner: ChangesOwner,
    devices: ChangingDevice[],
    { ended, retried = [] }: { ended: ActiveChange[]; retried?: string[] },
  ): Promise<Array<NextPending & { device: ChangingDevice }>> {
    const { organizationId } = owner;
    const targets = deviceTargetsIn(sql);
    const assetIds = devices.map(({ assetId }) => assetId);
    // A queued target of a retry has offered nothing yet, but its device may still have the change of the retried job.
    const retriedChanges = await targets.listRetriedChanges(organizationId, retried, assetIds);
    const endedOf = byAsset([...ended, ...retriedChanges]);
    const othersOf = byAsset(await targets.listOthers(owner, retried, assetIds));
    const contents = await configurationsIn(sql).find([
      {
        organizationId,
        configIds: [
          ...devices.flatMap(knownConfigIds),
          ...[...endedOf.values(), ...othersOf.values()].flat().map(({ changeId }) => changeId),
        ],
      },
    ]);
    const nextOf = memoized(endedKeyOf, (each: EndedDevice) => afterEnd(each, contents));
    return devices
      .filter(({ pendingConfigId }) => pendingConfigId !== null)
      .map((device) => {
        const each = {
          device,
          ended: endedOf.get(device.assetId) ?? [],
          others: othersOf.get(device.assetId) ?? [],
        };
        return { device, ...nextOf(each) };
      })
      .filter(({ isChanged }) => isChanged);
  }

  /**
   * Takes the keys that the owner's changes own out of the pending change, and no others. Changes of jobs
   * that the owner retries end with its own. A device whose pending change stays the same keeps its revision,
   * which it may have fetched.
   */
  async function withdraw(
    tx: Transaction,
    owner: ChangesOwner,
    devices: ChangingDevice[],
    ended: ActiveChange[],
  ): Promise<void> {
    const { sql } = tx;
    const { organizationId } = owner;
    const targets = deviceTargetsIn(sql);
    const assetIds = devices.map(({ assetId }) => assetId);
    const retried = await targets.listRetriedJobs(owner);
    const next = await planWithdrawal(sql, owner, devices, { ended, retried });
    await assign(deps, tx, { organizationId, jobId: null }, next);
    await targets.reoffer(next.map(({ device }) => ({ organizationId, assetId: device.assetId })));
    await targets.release(organizationId, retried, assetIds);
  }

  return {
    planWithdrawal,
    withdraw,

    /** Clears the pending changes of the devices. */
    async clear(tx: InTransaction, organizationId: string, devices: ChangingDevice[]): Promise<void> {
      const configIds = devices.map(({ pendingConfigId }) => pendingConfigId);
      const contents = await configurationsIn(tx.sql).find([{ organizationId, configIds }]);
      const cleared = { config: null, refusedKeys: [], refusalReason: null };
      const next = devices
        .filter(({ pendingConfigId }) => pendingConfigId !== null)
        .map((device) => {
          const pending = contentOf(contents, device.pendingConfigId as string);
          return { device, ...cleared, hasOtherAlertRules: !hasSameAlertRules(pending, null) };
        });
      await assign(deps, tx, { organizationId, jobId: null }, next);
    },

    /**
     * Merges each change into the pending one. Returns the ids of jobs whose targets are superseded by this.
     */
    async offer(tx: Transaction, job: JobRef, changes: DeviceChange[]): Promise<string[]> {
      if (changes.length === 0) return [];
      await merge(tx, job, changes);
      return supersede(tx.sql, job, changes);
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
  // Without a pending change nothing monitored the device, so no alert can be open.
  const hasOtherAlertRules = pending !== null && !hasSameAlertRules(pending, config);
  return { config, refusedKeys, refusalReason: null, hasOtherAlertRules };
}

/** A device, its changes that end, and the other changes that are pending on it. */
interface EndedDevice {
  device: ChangingDevice;
  ended: ActiveChange[];
  others: OtherChange[];
}

const endedKeyOf = ({ device, ended, others }: EndedDevice) =>
  JSON.stringify([
    knownConfigIds(device),
    device.refusedKeys,
    device.isInheriting,
    capabilitiesKey(toCapabilities(device)),
    ended.map(changeKeyOf),
    others.map(changeKeyOf),
  ]);

const changeKeyOf = ({ changeId, lostKeys, refusalReason }: ActiveChange & Partial<OtherChange>) => [
  changeId,
  lostKeys,
  refusalReason,
];

function afterEnd(
  { device, ended, others }: EndedDevice,
  contents: ConfigurationContents,
): NextPending & { isChanged: boolean } {
  const pending = contentOf(contents, device.pendingConfigId as string);
  const owned = <Change extends ActiveChange>({ changeId, lostKeys, ...more }: Change) => ({
    ...more,
    change: contentOf(contents, changeId),
    lostKeys: lostKeys ?? [],
  });
  const owners = others.map(owned);
  const { withdrawn, refusal } = endChanges(pending, ended.map(owned), owners);
  const inheritedId = inheritedBy({ ...device, confirmed: device.confirmedConfigId });
  const inherited = inheritedId === null ? null : contentOf(contents, inheritedId);
  const left = pendingWithout(pending, withdrawn, inherited);
  const stillRefused = refusedWithout(pending, device, withdrawn);
  const refusedAgain = refusal?.keys.filter((key) => !stillRefused.includes(key)) ?? [];
  const refusedKeys = keysOf(pending).filter(
    (key) => stillRefused.includes(key) || refusedAgain.includes(key),
  );
  const running = knownConfig({ ...device, pendingConfigId: null }, contents);
  const offered = (left && without(left, refusedKeys)) ?? {};
  const next = without(fitted(offered, running, withdrawn, toCapabilities(device)), refusedKeys);
  const rest = left && merged(left, next ?? {});
  const config =
    rest && next && repeatsRules(next, running, withdrawn, owners) ? without(rest, ['alarmRules']) : rest;
  return {
    config,
    refusedKeys,
    refusalReason: stillRefused.length === 0 ? (refusal?.reason ?? null) : null,
    isChanged: withdrawn.length + refusedAgain.length > 0,
    hasOtherAlertRules: !hasSameAlertRules(pending, config),
  };
}

/** Stores each distinct configuration once, and makes it pending. */
async function assign(
  { configurationsIn, pendingIn, onAlertRulesChanged, now }: ChangesDeps,
  tx: InTransaction,
  { organizationId, jobId }: { organizationId: string; jobId: string | null },
  next: Array<NextPending & { device: DeviceChange['device'] }>,
): Promise<void> {
  const { sql } = tx;
  const configs = [...new Set(next.flatMap(({ config }) => config ?? []))];
  const ids = await configurationsIn(sql).insert(configs.map((config) => ({ organizationId, config })));
  const idOf = new Map(configs.map((config, index) => [config, ids[index] as string]));
  await pendingIn(sql).assign(
    organizationId,
    next.map(({ device, config, refusedKeys, refusalReason }) => ({
      assetId: device.assetId,
      configId: config && (idOf.get(config) as string),
      followsTimeZone: followsTimeZone(config),
      refusedKeys,
      refusalReason,
      isRefused: config !== null && keysOf(config).every((key) => refusedKeys.includes(key)),
      measurementPeriodSeconds: measurementIntervalSeconds(config ?? {}),
      transmissionIntervalSeconds: config?.transmissionInterval ?? null,
    })),
    { jobId, at: now() },
  );
  const changed = next.filter((each) => each.hasOtherAlertRules && isMonitoredByPending(each.device));
  await onAlertRulesChanged(
    tx,
    changed.map(({ device }) => ({ organizationId, assetId: device.assetId })),
  );
}

/** Only the pending change monitors such a device. */
const isMonitoredByPending = ({ confirmedConfigId }: DeviceChange['device']) =>
  monitoredConfig({ confirmed: confirmedConfigId, pending: null }) === null;

const byAsset = <Change extends ActiveChange>(changes: Change[]) =>
  grouped(changes, ({ assetId }) => assetId);

export function findConflicts(meetings: readonly Meeting[], contents: ConfigurationContents): Conflict[] {
  return meetings
    .map(({ existing, incoming }) => {
      const change = contentOf(contents, existing);
      const overwritten = overwrittenKeys(change, contentOf(contents, incoming));
      return { existing, incoming, overwritten, existingKeys: keysOf(change) };
    })
    .filter(({ overwritten }) => overwritten.length > 0);
}

/** The pending keys that stay refused when the given keys are set again or taken out. */
function refusedWithout(
  pending: DeviceConfiguration | null,
  { refusedKeys }: Pick<ChangingDevice, 'refusedKeys'>,
  keys: readonly ConfigurationKey[],
): ConfigurationKey[] {
  if (refusedKeys === null || pending === null) return [];
  const refused = keysOf(pending).filter((key) => refusedKeys.includes(key));
  return refused.filter((key) => !keys.includes(key));
}
