/**
 * Puts changes on devices and takes them back, with what that means for the jobs that wait on the same devices. Runs
 * inside the transaction of the caller, who holds the rows of the devices.
 */
import type { Sql } from '../db/database.ts';
import type { InTransaction } from '../db/transaction.ts';
import { type DeviceConfiguration, hasSameAlertRules, keysOf, merged } from '../devices/configuration.ts';
import { contentOf } from '../devices/configuration-id.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { findConflicts, memoized, withdrawChange } from './change-devices.ts';
import type { JobRef } from './config-job.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';

export interface ChangesDeps {
  configurationsIn(sql: Sql): ConfigurationsRepository;
  pendingIn(sql: Sql): PendingChangesRepository;
  targetsIn(sql: Sql): ConfigTargetsRepository;
  /** Other rules guard these devices from now on. */
  onAlertRulesChanged(tx: InTransaction, assetIds: string[]): Promise<void>;
}

/** A device and the change that a job has for it. */
export interface DeviceChange {
  device: Pick<ChangingDevice, 'assetId' | 'pendingConfigId' | 'confirmedConfigId'>;
  changeId: string;
}

export type ChangesService = ReturnType<typeof createChangesService>;

export function createChangesService({
  configurationsIn,
  pendingIn,
  targetsIn,
  onAlertRulesChanged,
}: ChangesDeps) {
  async function merge(sql: Sql, organizationId: string, changes: DeviceChange[]): Promise<void> {
    const configurations = configurationsIn(sql);
    const contents = await configurations.find(
      changes.flatMap(({ device, changeId }) => [device.pendingConfigId, changeId]),
    );
    const store = createConfigStore(organizationId, configurations);
    const mergerOf = memoized(keyOf, ({ device, changeId }: DeviceChange) => {
      const pending = device.pendingConfigId === null ? null : contentOf(contents, device.pendingConfigId);
      const config = merged(pending, contentOf(contents, changeId));
      // Where nothing was pending, nothing guarded the device.
      return {
        kept: store.keep(config),
        hasSameRules: pending === null || hasSameAlertRules(pending, config),
      };
    });
    const mergers = changes.map((change) => ({ device: change.device, ...mergerOf(change) }));
    const ids = await store.insert();
    await pendingIn(sql).assign(
      mergers.map(({ device, kept }) => ({ assetId: device.assetId, configId: ids[kept] as string })),
    );
    await onAlertRulesChanged({ sql }, withOtherRules(mergers));
  }

  /**
   * Takes the job's changes out of what is pending, but for the keys that other jobs still wait for. Where nothing
   * is taken out, the device keeps the revision that it may have fetched.
   */
  async function withdraw(
    sql: Sql,
    { organizationId, jobId }: JobRef,
    changes: DeviceChange[],
  ): Promise<void> {
    const targets = targetsIn(sql);
    const configurations = configurationsIn(sql);
    const assetIds = changes.map(({ device }) => device.assetId);
    const others = byAsset(await targets.listOffered(jobId, assetIds));
    const failed = byAsset(await targets.listFailed(jobId, assetIds));
    const contents = await configurations.find([
      ...changes.flatMap(({ device, changeId }) => [device.pendingConfigId, changeId]),
      ...[...others.values(), ...failed.values()].flat(),
    ]);
    const store = createConfigStore(organizationId, configurations);
    const othersOf = ({ device }: DeviceChange) => others.get(device.assetId) ?? [];
    const withdrawalOf = memoized(
      (change: DeviceChange) => `${keyOf(change)} ${othersOf(change).join()}`,
      (change) => {
        const pending = contentOf(contents, change.device.pendingConfigId as string);
        const wanted = othersOf(change).map((id) => contentOf(contents, id));
        const rest = withdrawChange(pending, contentOf(contents, change.changeId), wanted);
        const gone = keysOf(pending).filter((key) => rest?.[key] === undefined);
        return {
          gone,
          rest: gone.length > 0 && rest !== null ? store.keep(rest) : null,
          hasSameRules: hasSameAlertRules(pending, rest),
        };
      },
    );
    const withdrawals = changes
      .filter(({ device }) => device.pendingConfigId !== null)
      .map((change) => ({
        device: change.device,
        assetId: change.device.assetId,
        ...withdrawalOf(change),
      }))
      .filter(({ gone }) => gone.length > 0);
    const ids = await store.insert();
    await pendingIn(sql).assign(
      withdrawals.map(({ assetId, rest }) => ({
        assetId,
        configId: rest === null ? null : (ids[rest] as string),
      })),
    );
    await onAlertRulesChanged({ sql }, withOtherRules(withdrawals));
    await targets.reopen(withdrawals.map(({ assetId }) => assetId));
    await targets.release(
      withdrawals.flatMap(({ assetId, gone }) =>
        (failed.get(assetId) ?? [])
          .filter((id) => gone.some((key) => contentOf(contents, id)[key] !== undefined))
          .map((changeId) => ({ assetId, changeId })),
      ),
    );
  }

  return {
    /** Merges each change into what is pending; answers with the jobs that wait for less now. */
    async put(sql: Sql, organizationId: string, jobId: string, changes: DeviceChange[]): Promise<string[]> {
      if (changes.length === 0) return [];
      await merge(sql, organizationId, changes);
      const targets = targetsIn(sql);
      const assetIds = changes.map(({ device }) => device.assetId);
      const liveIds = await targets.listActiveChangeIds(jobId, assetIds);
      if (liveIds.length === 0) return [];
      const changeIds = changes.map(({ changeId }) => changeId);
      const contents = await configurationsIn(sql).find([...liveIds, ...changeIds]);
      const pairs = findConflicts(liveIds, [...new Set(changeIds)], contents);
      const superseded = await targets.supersede(jobId, { assetIds, changeIds, pairs });
      await targets.reopen(assetIds);
      return superseded;
    },

    /** Cancels what a job still waits for, and takes its changes out of what is pending. */
    async withdrawOpen(sql: Sql, job: JobRef, reason: string): Promise<void> {
      const targets = targetsIn(sql);
      const listed = await targets.listOpen(job.jobId);
      const devices = await pendingIn(sql).lockAssets(
        job.organizationId,
        listed.map(({ assetId }) => assetId),
      );
      // Read again under the locks: a report may have settled some in between.
      const open = new Map((await targets.listOpen(job.jobId)).map((target) => [target.assetId, target]));
      const begun = devices.flatMap((device) => {
        const target = open.get(device.assetId);
        return target && target.state !== 'queued' ? [{ device, changeId: target.changeId }] : [];
      });
      await targets.cancelByJob(job.jobId, reason);
      await withdraw(sql, job, begun);
    },
  };
}

const keyOf = ({ device, changeId }: DeviceChange) => `${device.pendingConfigId} ${changeId}`;

/** By `monitoredConfig`, a change matters at once to a device that never confirmed anything. */
const withOtherRules = (
  changes: Array<{ device: DeviceChange['device']; hasSameRules: boolean }>,
): string[] =>
  changes
    .filter(({ device, hasSameRules }) => device.confirmedConfigId === null && !hasSameRules)
    .map(({ device }) => device.assetId);

function byAsset(live: Array<{ assetId: string; changeId: string }>): Map<string, string[]> {
  const changeIds = new Map<string, string[]>();
  for (const { assetId, changeId } of live) {
    changeIds.set(assetId, [...(changeIds.get(assetId) ?? []), changeId].sort());
  }
  return changeIds;
}

/** Gathers configurations to insert them in one statement. */
function createConfigStore(organizationId: string, configurations: ConfigurationsRepository) {
  const configs: DeviceConfiguration[] = [];
  return {
    /** The position of the configuration's id in what `insert` answers. */
    keep: (config: DeviceConfiguration): number => configs.push(config) - 1,
    insert: (): Promise<string[]> =>
      configurations.insert(configs.map((config) => ({ organizationId, config }))),
  };
}
