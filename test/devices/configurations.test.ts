/** The store of configurations: by content, shared by all transactions of a process. */
import assert from 'node:assert/strict';
import { createTransact } from '../../src/db/transaction.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import { startService, type TestService } from '../support/service.ts';

describe('A configuration', () => {
  let dms: TestService;
  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());

  it('that a transaction wrote, read and took back is written by the next one', async () => {
    const cache = createConfigurationCache();
    const transact = createTransact(dms.service.sql);
    const entry = { organizationId: dms.id, config: { transmissionInterval: 4_321 } };
    const undone = transact(async ({ sql }) => {
      const ids = await createConfigurationsRepository(sql, cache).insert([entry]);
      assert.equal((await createConfigurationsRepository(sql, cache).find(ids)).size, 1);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    const ids = await transact(({ sql }) => createConfigurationsRepository(sql, cache).insert([entry]));
    const stored = createConfigurationsRepository(dms.service.sql, createConfigurationCache());
    const found = await stored.find(ids);
    assert.deepEqual([...found.values()], [entry.config]);
  });
});
