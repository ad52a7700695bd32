/** The store of configurations: by content, shared by all transactions of a process. */
import assert from 'node:assert/strict';
import { createTransact } from '../../src/db/transaction.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import { startService, type TestService } from '../support/service.ts';

describe('Stored configurations', () => {
  let dms: TestService;
  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());

  it('are not cached from a transaction that was rolled back: the next transaction inserts them again', async () => {
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

  it('are found only by their organization', async () => {
    const stranger = await dms.addOrganization();
    const stored = createConfigurationsRepository(dms.service.sql, createConfigurationCache());
    const configIds = await stored.insert([
      { organizationId: dms.id, config: { transmissionInterval: 987 } },
    ]);
    assert.equal((await stored.find([{ organizationId: stranger.id, configIds }])).size, 0);
  });
});
