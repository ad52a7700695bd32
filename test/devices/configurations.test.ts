/** The store of configurations: addressed by content, shared by all transactions of a process. */
import assert from 'node:assert/strict';
import { createTransact } from '../../src/db/transaction.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import { apply, configOf, createProfile, eventually, FACTORY, register, report } from '../support/fleet.ts';
import { startService, useService } from '../support/service.ts';

describe('Stored configurations', () => {
  const dms = useService({ withWorker: false });

  it('caches nothing from a transaction that was rolled back: the next transaction inserts it again', async () => {
    const cache = createConfigurationCache();
    const transact = createTransact(dms.service.sql);
    const entry = { organizationId: dms.id, config: { transmissionInterval: 4_321 } };
    const refs = (configIds: string[]) => [{ organizationId: dms.id, configIds }];
    const failed = transact(async ({ sql }) => {
      const ids = await createConfigurationsRepository(sql, cache).insert([entry]);
      assert.equal((await createConfigurationsRepository(sql, cache).find(refs(ids))).size, 1);
      throw new Error('rolled back');
    });
    await assert.rejects(failed, /rolled back/);
    const ids = await transact(({ sql }) => createConfigurationsRepository(sql, cache).insert([entry]));
    const stored = createConfigurationsRepository(dms.service.sql, createConfigurationCache());
    const found = await stored.find(refs(ids));
    assert.deepEqual([...found.values()], [entry.config]);
  });

  it('stores a configuration again that the database has lost, although the process has it in its cache', async () => {
    const cache = createConfigurationCache();
    const { sql } = dms.service;
    const entry = { organizationId: dms.id, config: { transmissionInterval: 1_234 } };
    const cached = createConfigurationsRepository(sql, cache);
    const configIds = await cached.insert([entry]);
    await cached.find([{ organizationId: dms.id, configIds }]);
    await sql.raw('delete from configurations where id = any(?::uuid[])', [configIds]);
    await cached.insert([entry]);
    const stored = createConfigurationsRepository(sql, createConfigurationCache());
    const found = await stored.find([{ organizationId: dms.id, configIds }]);
    assert.deepEqual([...found.values()], [entry.config]);
  });

  it('brings a configuration to a device by an apply after the database has lost it, at any process', async () => {
    const change = { slug: 'lost', intervals: { transmissionIntervalSeconds: 7_777 } };
    await createProfile(dms, change);
    for (const serial of ['FIRST', 'SECOND']) {
      await register(dms, serial);
      await apply(dms, change.slug, { serialNumbers: [serial] });
      await configOf(dms, serial);
      if (serial === 'FIRST') {
        await dms.service.sql.raw(
          `delete from configurations where content::jsonb = '{"transmissionInterval": 7777}'`,
        );
      }
    }
    const other = await startService({ withWorker: false, databaseUrl: dms.settings.databaseUrl });
    const { token } = await dms.issueKey(dms.id, 'device');
    const { status, body } = await other.with(token).get('/devices/SECOND/pending-config');
    await other.stop();
    assert.deepEqual([status, body.config], [200, { transmissionInterval: 7_777 }]);
  });

  it('stores nothing again for rows that are locked and refer to it', async () => {
    await register(dms, 'STEADY');
    await report(dms, 'STEADY', FACTORY);
    const inserts: string[] = [];
    const note = ({ sql: text }: { sql: string }) => {
      if (text.startsWith('insert into configurations')) inserts.push(text);
    };
    dms.service.sql.on('query', note);
    await report(dms, 'STEADY', FACTORY);
    dms.service.sql.removeListener('query', note);
    assert.deepEqual(inserts, []);
  });

  it('reads again after a connection was lost, because another server may answer from then on', async () => {
    await register(dms, 'FAILOVER');
    await report(dms, 'FAILOVER', { ...FACTORY, transmissionInterval: 5_555 });
    let reads = 0;
    const note = ({ sql: text }: { sql: string }) => {
      if (/join configurations c/.test(text)) reads++;
    };
    dms.service.sql.on('query', note);
    const readsOf = async () => {
      const before = reads;
      await dms.api.get('/devices/FAILOVER/config');
      return reads - before;
    };
    await readsOf();
    assert.equal(await readsOf(), 0);
    await dms.service.sql
      .raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'device-monitoring-service'`,
      )
      .catch(() => {});
    await eventually(readsOf, (count) => count > 0);
    dms.service.sql.removeListener('query', note);
  });

  it('finds configurations only within their organization', async () => {
    const stranger = await dms.addOrganization();
    const stored = createConfigurationsRepository(dms.service.sql, createConfigurationCache());
    const configIds = await stored.insert([
      { organizationId: dms.id, config: { transmissionInterval: 987 } },
    ]);
    assert.equal((await stored.find([{ organizationId: stranger.id, configIds }])).size, 0);
  });
});
