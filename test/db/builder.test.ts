/** Parts of statements that repositories share. */
import assert from 'node:assert/strict';
import { countUpTo } from '../../src/db/builder.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { newDatabase } from '../support/servers.ts';

describe('A bounded count', () => {
  let sql: Database;
  before(async () => {
    const url = await newDatabase();
    sql = openDatabase({ url, poolSize: 1, statementTimeoutMs: 0, applicationName: 'test' });
  });
  after(() => sql.destroy());

  it('counts all rows where there are few, and stops at the bound where there are more', async () => {
    const rows = () => sql.from(sql.raw('generate_series(1, 5)'));
    assert.equal(await countUpTo(sql, 7, rows()), 5);
    assert.equal(await countUpTo(sql, 3, rows()), 3);
  });
});
