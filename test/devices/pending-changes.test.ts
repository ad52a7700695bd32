/**
 * Apply and cancel change many devices in one statement. These properties compare that statement with the
 * transitions of one device (device-sync.ts): both run on the same random states, and the rows are compared.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createChangesService } from '../../src/config-jobs/changes.service.ts';
import type { ConfigJob, JobRef } from '../../src/config-jobs/config-job.ts';
import { createConfigTargetsRepository } from '../../src/config-jobs/config-targets.repository.ts';
import { createDeviceTargetsRepository } from '../../src/config-jobs/device-targets.repository.ts';
import { createJobEnding } from '../../src/config-jobs/job-ending.service.ts';
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createTransact, type Transaction } from '../../src/db/transaction.ts';
import {
  CONFIGURATION_KEYS,
  type ConfigurationKey,
  type DeviceConfiguration,
  hasSameAlertRules,
  keysOf,
  measurementIntervalSeconds,
  merged,
  without,
} from '../../src/devices/configuration.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import type { Device } from '../../src/devices/device.ts';
import { followsTimeZone } from '../../src/devices/device-row.ts';
import {
  type DeviceSync,
  hasDrifted,
  knownSettings,
  merge,
  monitoredConfig,
  offeredPart,
  syncStatus,
  withdraw,
  withdrawAll,
  withPending,
} from '../../src/devices/device-sync.ts';
import { createDevicesRepository } from '../../src/devices/devices.repository.ts';
import { createPendingChangesRepository } from '../../src/devices/pending-changes.repository.ts';
import { endChanges, type OwnedChange, ownedKeys, repeatsRules } from '../../src/devices/pending-owners.ts';
import { fitted } from '../../src/profiles/compile-profile.ts';
import { registerMany } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { overwrittenBy } from './overwritten-by.ts';
import { configs, syncs } from './sync-arbitraries.ts';

const DEVICES = 12;
const RUNS = 60;

/** A change of another job on a device; earlier ones may have lost settings, and some may be refused. */
const others = (changes: DeviceConfiguration[]) =>
  fc.record({
    change: fc.constantFrom(...changes),
    lostKeys: fc.subarray([...CONFIGURATION_KEYS]),
    state: fc.constantFrom('waiting', 'sent', 'failed', 'timed_out', 'superseded'),
  });
type Other = { change: DeviceConfiguration; lostKeys: ConfigurationKey[]; state: string };

/** A random state, a change and other changes for each device; with few different changes, as in a job. */
const cases = fc.array(configs(1), { minLength: 1, maxLength: 3 }).chain((changes) =>
  fc.array(
    fc.record({
      sync: syncs,
      change: fc.constantFrom(...changes),
      others: fc.array(others(changes), { maxLength: 2 }),
    }),
    { minLength: DEVICES, maxLength: DEVICES },
  ),
);
const REASON = 'the device refused: out of range';
const owned = ({ change, lostKeys, state }: Other): OwnedChange => ({
  change,
  lostKeys,
  refusalReason: state === 'failed' ? REASON : null,
});

/** What is still offered fits the settings that are left. */
function withFitted(
  sync: DeviceSync,
  withdrawn: ConfigurationKey[],
  { capabilities, others }: Pick<Device, 'capabilities'> & { others: OwnedChange[] },
): DeviceSync {
  const { pending, reported, confirmed } = sync;
  const offered = pending && offeredPart(pending);
  if (!offered) return sync;
  const running = knownSettings({ reported: reported?.config, confirmed: confirmed ?? {} });
  const next = without(fitted(offered, running, withdrawn, capabilities), pending.refusal?.keys ?? []);
  const rest = merged(pending.config, next ?? {});
  const isRepeated = next !== null && repeatsRules(next, running, withdrawn, others);
  const config = isRepeated ? without(rest, ['alarmRules']) : rest;
  // Nothing is left to fetch as another revision.
  if (config === null) return { ...withPending(sync, null), revision: sync.revision - 1 };
  return { ...sync, pending: { ...pending, config } };
}

describe('A change of many devices in one statement', () => {
  const dms = useService({ withWorker: false });
  let found: Device[];
  let rulesChanged: string[];
  let conflicts: object[];
  const cache = createConfigurationCache();
  const devicesIn = (sql: Database) => createDevicesRepository(sql, cache);
  const configurationsIn = (sql: Database) => createConfigurationsRepository(sql, cache);
  const changes = createChangesService({
    configurationsIn,
    pendingIn: createPendingChangesRepository,
    deviceTargetsIn(sql) {
      const targets = createDeviceTargetsRepository(sql);
      return {
        ...targets,
        supersede(job, supersession) {
          conflicts = supersession.conflicts;
          return targets.supersede(job, supersession);
        },
      };
    },
    nextTurn: async () => {},
    async onAlertRulesChanged(_tx, devices) {
      rulesChanged.push(...devices.map(({ assetId }) => assetId));
    },
    now: () => new Date(),
  });

  const jobEnding = createJobEnding({
    pendingIn: createPendingChangesRepository,
    targetsIn: createConfigTargetsRepository,
    changes,
    finishJob: async () => ({}) as ConfigJob,
    chunkSize: 5,
  });

  before(async () => {
    await registerMany(dms, DEVICES);
    const pending = createPendingChangesRepository(dms.service.sql);
    const scope = { organizationId: dms.id, groupId: null };
    const active = await pending.listActive(scope, { after: null, limit: DEVICES });
    const assetIds = active.map(({ assetId }) => assetId);
    found = await devicesIn(dms.service.sql).lockByAsset(dms.id, assetIds);
  });

  it('keeps the status that lists show in the row of each device', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(syncs, { minLength: DEVICES, maxLength: DEVICES }),
        async (states: DeviceSync[]) => {
          const { sql } = dms.service;
          const devices = withSyncs(states);
          await devicesIn(sql).update(devices);
          const rows = await query<{ assetId: string }>(
            sql,
            `select asset_id as "assetId", sync_status as status, has_drifted as "hasDrifted" from device_configs
             where organization_id = ?`,
            [dms.id],
          );
          const byAsset = new Map(rows.map(({ assetId, ...kept }) => [assetId, kept]));
          for (const { assetId, sync } of devices) {
            const expected = { status: syncStatus(sync), hasDrifted: hasDrifted(sync) };
            assert.deepEqual(byAsset.get(assetId), expected);
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    ));

  /** Without fields that depend on the earlier states, which differ between the two ways. */
  const rowsIn = (sql: Database) =>
    query(
      sql,
      `select to_jsonb(d) - 'utc_offset_check_at' - 'has_had_profile' as row from device_configs d where organization_id = ?
       order by asset_id`,
      [dms.id],
    );
  const withSyncs = (syncs: DeviceSync[]): Device[] =>
    found.map((device, index) => ({ ...device, sync: syncs[index] as DeviceSync }));

  /** The rows after the transition of each device, and after the statement, both from the same states. */
  function compare(
    before: DeviceSync[],
    transition: (sync: DeviceSync, index: number) => DeviceSync,
    change: (tx: Transaction) => Promise<unknown>,
  ): Promise<void> {
    return createTransact(dms.service.sql)(async (tx) => {
      const { sql } = tx;
      await devicesIn(sql).update(withSyncs(before.map(transition)));
      const expected = await rowsIn(sql);
      await devicesIn(sql).update(withSyncs(before));
      rulesChanged = [];
      await change(tx);
      assert.deepEqual(await rowsIn(sql), expected);
    });
  }

  it('assigns a pending change like a merge into one device, and none like its complete withdrawal', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.array(fc.boolean()), async (drawn, kept) => {
        const after = drawn.map(({ sync, change }, index) =>
          kept[index] ? merge(sync, change) : withdrawAll(sync),
        );
        await compare(
          drawn.map(({ sync }) => sync),
          (_, index) => after[index] as DeviceSync,
          async (tx) => {
            const { sql } = tx;
            const pending = after.map((sync) => sync.pending?.config ?? null);
            const stored = pending.flatMap((config) => config ?? []);
            const ids = await configurationsIn(sql).insert(
              stored.map((config) => ({ organizationId: dms.id, config })),
            );
            const idOf = new Map(stored.map((config, index) => [config, ids[index] as string]));
            await createPendingChangesRepository(sql).assign(
              dms.id,
              found.map(({ assetId }, index) => {
                const config = pending[index] ?? null;
                const refusedKeys = after[index]?.pending?.refusal?.keys ?? [];
                return {
                  assetId,
                  configId: config && (idOf.get(config) as string),
                  followsTimeZone: followsTimeZone(config),
                  refusedKeys,
                  refusalReason: null,
                  isRefused: config !== null && keysOf(config).every((key) => refusedKeys.includes(key)),
                  measurementPeriodSeconds: measurementIntervalSeconds(config ?? {}),
                  transmissionIntervalSeconds: config?.transmissionInterval ?? null,
                };
              }),
              { jobId: null, at: new Date() },
            );
          },
        );
      }),
      { numRuns: RUNS },
    ));

  /** Stores the changes, and locks the devices as apply does. */
  async function lockChanges(sql: Database, drawn: Array<{ change: object }>) {
    const changeIds = await configurationsIn(sql).insert(
      drawn.map(({ change }) => ({ organizationId: dms.id, config: change })),
    );
    const assetIds = found.map(({ assetId }) => assetId);
    const devices = await createPendingChangesRepository(sql).lockAssets(dms.id, assetIds);
    return devices.map((device, index) => ({ device, changeId: changeIds[index] as string }));
  }

  /** By the rule of one device: whether its alert rules differ from earlier ones, if it had any. */
  const withOtherRules = (before: DeviceSync[], after: DeviceSync[]) =>
    found
      .filter((_, index) => {
        const [was, is] = [before, after].map((syncs) => monitoredConfig(syncs[index] as DeviceSync));
        return was !== null && !hasSameAlertRules(was ?? null, is ?? null);
      })
      .map(({ assetId }) => assetId);

  /** Stores the other changes, each as a target of a separate job. */
  async function insertOthers(sql: Database, drawn: Array<{ others: Other[] }>): Promise<void> {
    for (const [index, each] of drawn.entries()) {
      for (const { change, lostKeys, state } of each.others) {
        const [changeId] = await configurationsIn(sql).insert([{ organizationId: dms.id, config: change }]);
        const target = [dms.id, randomUUID(), found[index]?.assetId, changeId, state];
        await query(
          sql,
          `insert into config_targets (organization_id, job_id, asset_id, change_config_id, state, reason, lost_keys)
           values (?, ?, ?, ?, ?, ?, ?::text[])`,
          [
            ...target,
            state === 'failed' ? REASON : null,
            lostKeys.length > 0 ? `{${lostKeys.join()}}` : null,
          ],
        );
      }
    }
  }

  /** The lost settings of the other changes, device by device in any order, and whether any is left. */
  const othersIn = async (sql: Database, job: JobRef) =>
    (
      await query<{ lost: string[] | null; isActive: boolean; state: string; assetId: string }>(
        sql,
        `select asset_id as "assetId", lost_keys as lost, is_active as "isActive", state from config_targets
         where organization_id = ? and job_id <> ?`,
        [dms.id, job.jobId],
      )
    )
      .map(({ assetId, lost, isActive, state }) =>
        [assetId, (lost ?? []).toSorted().join(), isActive, state].join(' '),
      )
      .sort();

  it('puts the change of a job on devices like a merge into each of them, and takes over settings of others', () =>
    fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const before = drawn.map(({ sync }) => sync);
        const after = drawn.map(({ sync, change }) => merge(sync, change));
        const job = { organizationId: dms.id, jobId: randomUUID() };
        const expected = drawn.flatMap(({ change, others }, index) =>
          others.map((other) => {
            const { lostKeys } = overwrittenBy(owned(other), change);
            const isHit = lostKeys.length > other.lostKeys.length;
            const isActive = !isHit || ownedKeys({ change: other.change, lostKeys }).length > 0;
            const state = isHit && ['waiting', 'sent'].includes(other.state) ? 'superseded' : other.state;
            // The change has to be fetched again, and so have the other pending changes.
            const shown = state === 'sent' ? 'waiting' : state;
            return [found[index]?.assetId, lostKeys.toSorted().join(), isActive, shown].join(' ');
          }),
        );
        await compare(
          before,
          (_, index) => after[index] as DeviceSync,
          async (tx) => {
            const { sql } = tx;
            await insertOthers(sql, drawn);
            await changes.offer(tx, job, await lockChanges(sql, drawn));
            assert.deepEqual(await othersIn(sql, job), expected.sort());
            await query(sql, 'delete from config_targets where organization_id = ?', [dms.id]);
          },
        );
        assert.deepEqual(rulesChanged, withOtherRules(before, after));
      }),
      { numRuns: RUNS },
    ));

  it('compares a change only with those that are active on the same device', async () => {
    const drawn = found.map((_, index) => ({
      change: { transmissionInterval: 600 + index },
      others: [{ change: { transmissionInterval: 86_400 + index }, lostKeys: [], state: 'waiting' }],
    }));
    await createTransact(dms.service.sql)(async (tx) => {
      const { sql } = tx;
      await insertOthers(sql, drawn);
      const job = { organizationId: dms.id, jobId: randomUUID() };
      await changes.offer(tx, job, await lockChanges(sql, drawn));
      await query(sql, 'delete from config_targets where organization_id = ?', [dms.id]);
    });
    assert.equal(conflicts.length, DEVICES);
  });

  it('withdraws the change of a job like a withdrawal of its settings, which keeps the revision if nothing goes', () =>
    fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const before = drawn.map(({ sync }) => sync);
        const after = drawn.map(({ sync, change, others }, index) => {
          if (!sync.pending) return sync;
          const own = { change, lostKeys: [] };
          const { withdrawn, refusal } = endChanges(sync.pending.config, [own], others.map(owned));
          const left = refusal?.keys.filter((key) => !sync.pending?.refusal?.keys.includes(key)) ?? [];
          if (withdrawn.length + left.length === 0) return sync;
          const { capabilities } = found[index] as Device;
          return withFitted(withdraw(sync, withdrawn, refusal), withdrawn, {
            capabilities,
            others: others.map(owned),
          });
        });
        const job = { organizationId: dms.id, jobId: randomUUID() };
        await compare(
          before,
          (_, index) => after[index] as DeviceSync,
          async (tx) => {
            const { sql } = tx;
            const targets = (await lockChanges(sql, drawn)).map(({ device, changeId }) => ({
              assetId: device.assetId,
              changeId,
              groupId: null,
              stage: 1,
              state: 'waiting' as const,
            }));
            await insertOthers(sql, drawn);
            await createConfigTargetsRepository(sql).insert(job, targets, true);
            await jobEnding.end(tx, job, 'cancelled');
            await query(sql, 'delete from config_targets where organization_id = ?', [dms.id]);
          },
        );
        assert.deepEqual(rulesChanged, withOtherRules(before, after));
      }),
      { numRuns: RUNS },
    ));
});
