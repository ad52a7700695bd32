/** Removal by age, and the old rows that stay because something depends on them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRetention } from '../../src/compose/retention.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import { createOldJobsRepository } from '../../src/config-jobs/old-jobs.repository.ts';
import { createOldJobsRemoval } from '../../src/config-jobs/old-jobs.service.ts';
import { createUnusedConfigurationsRepository } from '../../src/config-jobs/unused-configurations.repository.ts';
import { createUnusedConfigurationsRemoval } from '../../src/config-jobs/unused-configurations.service.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FRIDGE,
  HOT_WATER,
  jobOf,
  register,
} from '../support/fleet.ts';
import { openHolder, untilLockWaits } from '../support/lock-waits.ts';
import { openTestResources, useResources } from '../support/resources.ts';
import { startService, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

describe('The retention', () => {
  const dms = useService({ withWorker: false });
  const resources = useResources(dms);
  const steps = useSteps(dms);
  let removeOld: () => Promise<void>;
  let serials = 0;

  before(() => {
    const retention = createRetention(resources, composeSlices(resources));
    removeOld = () => retention(() => true);
  });

  const run = <Row>(text: string, bindings: unknown[] = []) => query<Row>(dms.service.sql, text, bindings);
  const count = async (table: string, where: string, bindings: unknown[]) =>
    (await run<{ count: number }>(`select count(*) from ${table} where ${where}`, bindings))[0]?.count;
  const status = async (path: string) => (await dms.api.get(path)).status;
  const ageJob = (jobId: string, days: number) =>
    run(`update config_jobs set finished_at = now() - make_interval(days => ?) where id = ?`, [days, jobId]);

  /** Registers a device that has applied the profile by a job that has ended. */
  async function applied(
    profile: object,
    serial = `DEVICE-${++serials}`,
  ): Promise<{ serial: string; jobId: string }> {
    const isNew = (await dms.api.get(`/devices/${serial}/config`)).status === 404;
    if (isNew) await register(dms, serial);
    const slug = await createProfile(dms, { ...profile, slug: `profile-${randomUUID()}` });
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await steps.runJobs();
    return { serial, jobId };
  }
  const INTERVALS = { intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 3_600 } };

  describe('of jobs', () => {
    it('removes a job with its targets a year after its end, and no younger one', async () => {
      const [old, young] = [await applied(INTERVALS), await applied(INTERVALS)];
      await ageJob(old.jobId, 366);
      await ageJob(young.jobId, 364);
      await removeOld();
      assert.equal(await status(`/devices/config-jobs/${old.jobId}`), 404);
      assert.equal(await count('config_targets', 'job_id = ?', [old.jobId]), 0);
      assert.equal((await jobOf(dms, young.jobId)).counts.applied, 1);
      assert.equal(await count('config_targets', 'job_id = ?', [young.jobId]), 1);
    });

    it('keeps the job that brought the rules that a device runs, until a later one has replaced them', async () => {
      const { serial, jobId } = await applied(HOT_WATER);
      await ageJob(jobId, 400);
      await removeOld();
      assert.equal((await jobOf(dms, jobId)).counts.applied, 1);
      assert.equal(await count('config_targets', 'job_id = ?', [jobId]), 1);

      await applied(FRIDGE, serial);
      await run('update config_jobs set purge_checked_at = null where id = ?', [jobId]);
      await removeOld();
      assert.equal(await status(`/devices/config-jobs/${jobId}`), 404);
    });

    it('checks a job that it keeps only once per retention time', async () => {
      const { jobId } = await applied(HOT_WATER);
      await ageJob(jobId, 400);
      await removeOld();
      assert.equal(
        await count('config_jobs', `id = ? and purge_checked_at > now() - interval '1 hour'`, [jobId]),
        1,
      );
    });

    it('removes jobs although an older one cannot be removed, and tries that one again after an hour', async () => {
      const [failing, other] = [await applied(INTERVALS), await applied(INTERVALS)];
      await ageJob(failing.jobId, 410);
      await ageJob(other.jobId, 400);
      const repository = createOldJobsRepository(dms.service.sql);
      const setAside: string[] = [];
      const remove = createOldJobsRemoval(
        {
          ...repository,
          removeTargets: async (job, ...page) => {
            if (job.jobId === failing.jobId) throw new Error('too many targets');
            return repository.removeTargets(job, ...page);
          },
        },
        ({ jobId }) => void setAside.push(jobId),
      );
      const left = () =>
        Promise.all([failing, other].map(({ jobId }) => status(`/devices/config-jobs/${jobId}`)));
      for (const _ of [1, 2]) await remove(365, () => true);
      assert.deepEqual([await left(), setAside], [[200, 404], [failing.jobId]]);
      const anHourLater = `update config_jobs set purge_checked_at = purge_checked_at - interval '1 hour' where id = ?`;
      await run(anHourLater, [failing.jobId]);
      await removeOld();
      assert.deepEqual(await left(), [404, 404]);
    });

    it('keeps targets whose change a device may still come to run', async () => {
      const serial = `DEVICE-${++serials}`;
      await register(dms, serial);
      const slug = await createProfile(dms, { ...INTERVALS, slug: `waiting-${serials}` });
      const jobId = await apply(dms, slug, { serialNumbers: [serial] });
      await run(
        `update config_jobs set status = 'completed_with_failures', finished_at = now() - interval '400 days',
           target_counts = '{"timed_out": 1}' where id = ?`,
        [jobId],
      );
      await removeOld();
      assert.equal(await count('config_targets', 'job_id = ?', [jobId]), 1);
      await applyAnswer(dms, serial);
    });

    it('removes the 2,500 targets of a job in batches', async () => {
      const { jobId } = await applied(INTERVALS);
      await run(
        `insert into config_targets (organization_id, job_id, asset_id, change_config_id, state, is_active)
         select ?, ?, uuidv7(), uuidv7(), 'applied', false from generate_series(1, 2500)`,
        [dms.id, jobId],
      );
      await ageJob(jobId, 400);
      await removeOld();
      assert.equal(await count('config_targets', 'job_id = ?', [jobId]), 0);
    });
  });

  describe('of alerts', () => {
    const addAlerts = async (number: number, state: string, days: number) => {
      const assetId = await register(dms, `ALERTING-${++serials}`);
      await run(
        `insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at, updated_at)
         select ?, ?, 'ALERTING', 'no_data', ?, '{"expectedBy": "2026-01-01T00:00:00.000Z"}', now(),
           now() - make_interval(days => ?) from generate_series(1, ?::integer)`,
        [dms.id, assetId, state, days, number],
      );
      return assetId;
    };

    it('removes all alerts that were resolved two years ago, and neither younger nor open ones', async () => {
      const old = await addAlerts(2_500, 'resolved', 731);
      const young = await addAlerts(1, 'resolved', 729);
      const open = await addAlerts(1, 'acknowledged', 800);
      await removeOld();
      const left = await Promise.all([old, young, open].map((id) => count('alerts', 'asset_id = ?', [id])));
      assert.deepEqual(left, [0, 1, 1]);
      assert.equal((await dms.api.get('/alerts?status=resolved')).body.totalItems, 1);
    });
  });

  it('removes nothing while the clocks of its machine and of the database differ by more than a day', async () => {
    const processNow = () => new Date(Date.now() - 2 * DAY_MS);
    const wrong = openTestResources({ settings: dms.settings, processNow });
    await run(
      'insert into unregistered_devices (organization_id, serial_number, last_contact_at) values (?, ?, ?)',
      [dms.id, 'old', new Date(0)],
    );
    await assert.rejects(
      createRetention(wrong, composeSlices(wrong))(() => true),
      /clocks/,
    );
    await wrong.close();
    assert.equal(await count('unregistered_devices', 'organization_id = ?', [dms.id]), 1);
  });

  it('removes nothing for two days after the clock has jumped ahead by weeks', async () => {
    // Partitions of weeks ahead are no matter of other tests.
    const quiet = await startService({ withWorker: false });
    let daysAhead = 30;
    const now = () => new Date(Date.now() + daysAhead * DAY_MS);
    const ahead = openTestResources({ settings: quiet.settings, now });
    await query(
      ahead.sql,
      'insert into unregistered_devices (organization_id, serial_number, last_contact_at) values (?, ?, ?)',
      [quiet.id, 'old', new Date(0)],
    );
    const left = async () => (await query(ahead.sql, 'select from unregistered_devices')).length;
    const retention = createRetention(ahead, composeSlices(ahead));
    await assert.rejects(
      retention(() => true),
      /jumped ahead/,
    );
    assert.equal(await left(), 1);
    daysAhead += 3;
    await retention(() => true);
    assert.equal(await left(), 0);
    await ahead.close();
    await quiet.stop();
  });

  describe('of configurations', () => {
    const age = (id: string) =>
      run(`update configurations set last_used_at = now() - interval '8 days' where id = ?`, [id]);
    const isStored = async (id: string) => (await count('configurations', 'id = ?', [id])) === 1;
    const store = (config: { transmissionInterval: number }, sql = dms.service.sql) =>
      createConfigurationsRepository(sql, createConfigurationCache()).insert([
        { organizationId: dms.id, config },
      ]);

    it('removes a configuration without a reference for a week, and keeps a younger one', async () => {
      const [old] = (await store({ transmissionInterval: 1_001 })) as [string];
      const [young] = (await store({ transmissionInterval: 1_002 })) as [string];
      await age(old);
      await removeOld();
      assert.deepEqual([await isStored(old), await isStored(young)], [false, true]);
    });

    it('removes those of an organization although those of another one cannot be removed', async () => {
      const repository = createUnusedConfigurationsRepository(dms.service.sql);
      const config = { transmissionInterval: 1_005 };
      const organizationIds = [dms.id, (await dms.addOrganization()).id];
      const ids = await createConfigurationsRepository(dms.service.sql, createConfigurationCache()).insert(
        organizationIds.map((organizationId) => ({ organizationId, config })),
      );
      for (const id of ids) await age(id);
      const setAside: string[] = [];
      const remove = createUnusedConfigurationsRemoval(
        {
          ...repository,
          listReferred: async (organizationId) => {
            if (organizationId === dms.id) throw new Error('too many rows');
            return repository.listReferred(organizationId);
          },
        },
        ({ organizationId }) => void setAside.push(organizationId),
      );
      await remove(() => true);
      const areStored = await Promise.all(ids.map(isStored));
      assert.deepEqual([areStored, setAside], [[true, false], [dms.id]]);
    });

    it('keeps old configurations that devices report, run or wait for, or that targets refer to', async () => {
      const { serial } = await applied(HOT_WATER);
      const slug = await createProfile(dms, { ...FRIDGE, slug: `pending-${++serials}` });
      await apply(dms, slug, { serialNumbers: [serial] });
      await run(`update configurations set last_used_at = now() - interval '1 year'`);
      const before = await configOf(dms, serial);
      await removeOld();
      const [row] = await run<{ lost: number }>(
        `select count(*) as lost from (
           select organization_id, reported_config_id as id from device_configs
           union select organization_id, confirmed_config_id from device_configs
           union select organization_id, pending_config_id from device_configs
           union select organization_id, change_config_id from config_targets t where organization_id = ?
         ) as referred where id is not null and not exists (
           select from configurations c where c.organization_id = referred.organization_id and c.id = referred.id)`,
        [dms.id],
      );
      assert.equal(row?.lost, 0);
      assert.deepEqual(await configOf(dms, serial), before);
      await applyAnswer(dms, serial);
    });

    it('keeps a configuration that a transaction uses again at the same moment, in either order', async () => {
      const transact = createTransact(dms.service.sql);
      const config = { transmissionInterval: 1_003 };
      const [id] = (await store(config)) as [string];
      await age(id);
      await transact(async ({ sql }) => {
        await createConfigurationsRepository(sql, createConfigurationCache()).insert([
          { organizationId: dms.id, config },
        ]);
        await removeOld();
      });
      assert.equal(await isStored(id), true, 'used before it was removed');

      await age(id);
      const removing = await openHolder(dms.service.sql);
      await query(removing, 'delete from configurations where id = ?', [id]);
      const using = store(config);
      await untilLockWaits(dms.service.sql, 1);
      await removing.commit();
      await using;
      assert.equal(await isStored(id), true, 'used while it was removed');
    });

    it('marks a configuration as used that a process has in its cache', async () => {
      const cache = createConfigurationCache();
      const entry = { organizationId: dms.id, config: { transmissionInterval: 1_004 } };
      const repository = createConfigurationsRepository(dms.service.sql, cache);
      const [id] = (await repository.insert([entry])) as [string];
      await repository.find([{ organizationId: dms.id, configIds: [id] }]);
      await run('delete from configurations where id = ?', [id]);
      await repository.insert([entry]);
      assert.equal(await isStored(id), true);
    });
  });

  it('removes outages of the ingress after 30 days, and those that a clock ahead of the time has recorded', async () => {
    await run(
      `insert into ingress_outages (ingress, started_at, ended_at)
       select 'api', now() - make_interval(days => days + 1), now() - make_interval(days => days)
       from unnest(array[31, 2, -1]) as days`,
    );
    await removeOld();
    assert.equal(await count('ingress_outages', `ended_at < now() - interval '1 day'`, []), 1);
    assert.equal(await count('ingress_outages', 'ended_at > now()', []), 0);
  });

  describe('of unregistered devices', () => {
    it('removes those that are registered by now', async () => {
      const org = await dms.addOrganization();
      await register(org, 'KNOWN');
      await run(
        'insert into unregistered_devices (organization_id, serial_number) select ?, unnest(?::text[])',
        [org.id, ['known', 'stranger']],
      );
      await removeOld();
      const left = await run('select serial_number from unregistered_devices where organization_id = ?', [
        org.id,
      ]);
      assert.deepEqual(left, [{ serial_number: 'stranger' }]);
    });

    it('removes all serials without a contact for 30 days, and keeps the others', async () => {
      await run(
        `insert into unregistered_devices (organization_id, serial_number, last_contact_at)
         select ?, 'serial-' || n, now() - make_interval(days => case when n % 2 = 0 then 31 else 29 end)
         from generate_series(1, 3000) as n`,
        [dms.id],
      );
      await removeOld();
      assert.equal(await count('unregistered_devices', 'organization_id = ?', [dms.id]), 1_500);
    });
  });
});
