/**
 * The planner expects many rows for some pages, and would start parallel workers that take longer than the
 * page.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { useService } from '../support/service.ts';

describe('A statement of the service', () => {
  const dms = useService({ withWorker: false });

  it('runs in one process of the server and uncompiled, however many rows are expected', async () => {
    const plan = await dms.service.sql.transaction(async (tx) => {
      const costless = ['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'];
      for (const name of [...costless, 'jit_above_cost']) await query(tx, `set local ${name} = 0`);
      const lines = await query<Record<string, string>>(tx, 'explain analyze select count(*) from assets');
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    });
    assert.match(plan, /Seq Scan on assets/);
    assert.doesNotMatch(plan, /Gather|JIT/);
  });
});
