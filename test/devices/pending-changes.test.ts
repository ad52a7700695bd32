/**
 * Apply and cancel change many devices in one statement. These properties hold that set-based twin equal to the
 * transitions of one device (device-sync.ts): both run on the same random states, and the rows are compared.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createChangesService } from '../../src/config-jobs/changes.service.ts';
import type { ConfigJob } from '../../src/config-jobs/config-job.ts';
import { createConfigTargetsRepository } from '../../src/config-jobs/config-targets.repository.ts';
import { createDeviceTargetsRepository } from '../../src/config-jobs/device-targets.repository.ts';
import { createJobEnding } from '../../src/config-jobs/job-ending.service.ts';
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { CONFIGURATION_KEYS, hasSameAlertRules, keysOf } from '../../src/devices/configuration.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import type { Device } from '../../src/devices/device.ts';
import { followsTimeZone } from '../../src/devices/device-row.ts';
import { type DeviceSync, merge, monitoredConfig, withdraw } from '../../src/devices/device-sync.ts';
import { createDevicesRepository } from '../../src/devices/devices.repository.ts';
import { createPendingChangesRepository } from '../../src/devices/pending-changes.repository.ts';
import { registerMany } from '../support/fleet.ts';
import { startService, type TestService } from '../support/service.ts';
import { configs, syncs } from './sync-arbitraries.ts';

const DEVICES = 12;
const RUNS = 60;

/** A random state and a change for each device; few different changes, as a job has them. */
const cases = fc.array(configs(1), { minLength: 1, maxLength: 3 }).chain((changes) =>
  fc.array(fc.record({ sync: syncs, change: fc.constantFrom(...changes) }), {
    minLength: DEVICES,
    maxLength: DEVICES,
  }),
);

describe('A change of many devices in one statement', () => {
  let dms: TestService;
  let found: Device[];
  let rulesChanged: string[];
  const cache = createConfigurationCache();
  const devicesIn = (sql: Sql) => createDevicesRepository(sql, cache);
  const configurationsIn = (sql: Sql) => createConfigurationsRepository(sql, cache);
  const changes = createChangesService({
    configurationsIn,
    pendingIn: createPendingChangesRepository,
    deviceTargetsIn: createDeviceTargetsRepository,
    async onAlertRulesChanged(_tx, devices) {
      rulesChanged.push(...devices.map(({ assetId }) => assetId));
    },
  });

  const jobEnding = createJobEnding({
    pendingIn: createPendingChangesRepository,
    targetsIn: createConfigTargetsRepository,
    changes,
    finishJob: async () => ({}) as ConfigJob,
    chunkSize: 5,
  });

  before(async () => {
    dms = await startService({ withWorker: false });
    await registerMany(dms, DEVICES);
    const pending = createPendingChangesRepository(dms.service.sql);
    const assetIds = (await pending.lockAllActive({ organizationId: dms.id, groupId: null })).map(
      ({ assetId }) => assetId,
    );
    found = await devicesIn(dms.service.sql).lockByAsset(dms.id, assetIds);
  });
  after(() => dms.stop());

  /** Without the time of the next check, which depends on the states before: the two ways begin with different ones. */
  const rowsIn = (sql: Sql) =>
    query(
      sql,
      `select to_jsonb(d) - 'utc_offset_check_at' as row from device_configs d where organization_id = ?
       order by asset_id`,
      [dms.id],
    );
  const withSyncs = (syncs: DeviceSync[]): Device[] =>
    found.map((device, index) => ({ ...device, sync: syncs[index] as DeviceSync }));

  /** The rows after the transition of each device, and after the statement, both from the same states. */
  function compare(
    before: DeviceSync[],
    transition: (sync: DeviceSync, index: number) => DeviceSync,
    statement: (sql: Sql) => Promise<unknown>,
  ): Promise<void> {
    return createTransact(dms.service.sql)(async ({ sql }) => {
      await devicesIn(sql).update(withSyncs(before.map(transition)));
      const expected = await rowsIn(sql);
      await devicesIn(sql).update(withSyncs(before));
      rulesChanged = [];
      await statement(sql);
      assert.deepEqual(await rowsIn(sql), expected);
    });
  }

  it('assigns a pending change as a merge into one device does, and none as a withdrawal of all keys does', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.array(fc.boolean()), async (drawn, kept) => {
        const after = drawn.map(({ sync, change }, index) =>
          kept[index] ? merge(sync, change) : withdraw(sync, CONFIGURATION_KEYS),
        );
        await compare(
          drawn.map(({ sync }) => sync),
          (_, index) => after[index] as DeviceSync,
          async (sql) => {
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
                  isRefused: config !== null && keysOf(config).every((key) => refusedKeys.includes(key)),
                };
              }),
            );
          },
        );
      }),
      { numRuns: RUNS },
    ));

  /** Stores the changes, and locks the devices as apply does. */
  async function lockChanges(sql: Sql, drawn: Array<{ change: object }>) {
    const changeIds = await configurationsIn(sql).insert(
      drawn.map(({ change }) => ({ organizationId: dms.id, config: change })),
    );
    const assetIds = found.map(({ assetId }) => assetId);
    const devices = await createPendingChangesRepository(sql).lockAssets(dms.id, assetIds);
    return devices.map((device, index) => ({ device, changeId: changeIds[index] as string }));
  }

  /** By the rule of one device: other alert rules apply to it than before, if any did. */
  const withOtherRules = (before: DeviceSync[], after: DeviceSync[]) =>
    found
      .filter((_, index) => {
        const [was, is] = [before, after].map((syncs) => monitoredConfig(syncs[index] as DeviceSync));
        return was !== null && !hasSameAlertRules(was ?? null, is ?? null);
      })
      .map(({ assetId }) => assetId);

  it('puts the change of a job on devices as a merge into each of them does', () =>
    fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const before = drawn.map(({ sync }) => sync);
        const after = drawn.map(({ sync, change }) => merge(sync, change));
        const job = { organizationId: dms.id, jobId: randomUUID() };
        await compare(
          before,
          (_, index) => after[index] as DeviceSync,
          async (sql) => changes.put(sql, job, await lockChanges(sql, drawn)),
        );
        assert.deepEqual(rulesChanged, withOtherRules(before, after));
      }),
      { numRuns: RUNS },
    ));

  it('takes the change of a job back as a withdrawal from each device does, which keeps its revision if nothing goes', () =>
    fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const before = drawn.map(({ sync }) => sync);
        const after = drawn.map(({ sync, change }) => {
          const isPending = keysOf(change).some((key) => sync.pending?.config[key] !== undefined);
          return isPending ? withdraw(sync, keysOf(change)) : sync;
        });
        const job = { organizationId: dms.id, jobId: randomUUID() };
        await compare(
          before,
          (_, index) => after[index] as DeviceSync,
          async (sql) => {
            const targets = (await lockChanges(sql, drawn)).map(({ device, changeId }) => ({
              assetId: device.assetId,
              changeId,
              stage: 1,
              state: 'waiting' as const,
            }));
            await createConfigTargetsRepository(sql).insert(job, targets);
            await jobEnding.end(sql, job, 'cancelled');
          },
        );
        assert.deepEqual(rulesChanged, withOtherRules(before, after));
      }),
      { numRuns: RUNS },
    ));
});
