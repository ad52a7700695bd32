/** Readings that an earlier version stored, one to a row, while they are moved into blocks. */
import assert from 'node:assert/strict';
import {
  createPartitionKeeper,
  dropEmptyPartitions,
  MEASUREMENT_ROWS,
  MEASUREMENTS,
} from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createCompactionRepository } from '../../src/measurements/compaction.repository.ts';
import { createRowMoveRepository } from '../../src/measurements/row-move.repository.ts';
import { moveRows, type RowMoveDeps } from '../../src/measurements/row-move.service.ts';
import { createStoredKeysRepository } from '../../src/measurements/stored-keys.repository.ts';
import { temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';
import { countBlocks, storedReadings } from './stored-readings.ts';

const noon = Date.now() - (Date.now() % 86_400_000) - 2.5 * 86_400_000;

describe('Readings of an earlier version', () => {
  const logger = useLogger();
  const { frame, history, intakeWith } = logger;
  const sql = () => logger.dms.service.sql;

  /** As the earlier version stores them: a reading in each of so many minutes on two channels, one of them an error. */
  async function storeRows(minutes: number): Promise<void> {
    await createPartitionKeeper(sql(), MEASUREMENT_ROWS).ensure([
      new Date(noon),
      new Date(noon - minutes * 60_000),
    ]);
    await query(
      sql(),
      `insert into measurements (organization_id, asset_id, measured_at, received_at, value, error, channel, type, late)
       select ?, ?, ?::timestamptz - make_interval(mins => m), ?::timestamptz + make_interval(mins => m / 10),
         case when m % 7 > 0 then m / 10.0 end, case when m % 7 = 0 then 8388557 end, channel, 1, m % 5 = 0
       from generate_series(0, ?::integer - 1) m, generate_series(1, 2) channel`,
      [logger.org.id, logger.assetId, new Date(noon).toISOString(), new Date(noon).toISOString(), minutes],
    );
    await query(sql(), 'update device_states set latest_measured_at = ? where asset_id = ?', [
      new Date(noon).toISOString(),
      logger.assetId,
    ]);
  }

  const move = (more: Partial<RowMoveDeps> = {}) =>
    moveRows({
      sql: sql(),
      transact: createTransact(sql()),
      rowsIn: createRowMoveRepository,
      blocksIn: createCompactionRepository,
      storedKeysIn: createStoredKeysRepository,
      partitions: createPartitionKeeper(sql(), MEASUREMENTS),
      onProgress: () => {},
      ...more,
    });

  async function wholeHistory(limit = 137): Promise<object[]> {
    const items: object[] = [];
    for (let cursor = ''; ; ) {
      const page = await history(`?limit=${limit}${cursor}`);
      items.push(...page.items);
      if (!page.nextCursor) return items;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  it('are read as before, before and after the move, together with newer ones', async () => {
    await storeRows(3_000);
    const before = await wholeHistory();
    assert.equal(before.length, 6_000);
    await intakeWith().receive(frame({ readings: [temperature(-1)] }));
    assert.deepEqual((await wholeHistory()).slice(1), before);
    assert.equal(await move(), 6_000);
    assert.deepEqual((await wholeHistory()).slice(1), before);
    assert.equal(await move(), 0);
    assert.ok((await countBlocks(sql(), logger.assetId)) <= 20);
  });

  it('are duplicates when they are sent again, before and after the move', async () => {
    await storeRows(10);
    const again = frame({ readings: [temperature(0, {}, noon), temperature(0.5, {}, noon)] });
    const first = await intakeWith().receive(again);
    assert.deepEqual([first?.accepted, first?.duplicates], [1, 1]);
    await move();
    assert.equal((await intakeWith().receive(again))?.duplicates, 2);
    assert.equal((await history()).items.length, 21);
  });

  it('are moved once where a process of the earlier version stored one again', async () => {
    await intakeWith().receive(frame({ readings: [temperature(0, {}, noon), temperature(1, {}, noon)] }));
    await storeRows(5);
    assert.equal((await history()).items.length, 11);
    await move();
    assert.equal((await storedReadings(sql(), logger.assetId)).length, 11);
    assert.equal((await history()).items.length, 11);
  });

  it('are neither lost nor doubled when the move is killed, and it goes on where it was', async () => {
    await storeRows(5_000);
    let transactions = 0;
    const killed = move({
      blocksIn: (handle) => ({
        async insert(blocks) {
          await createCompactionRepository(handle).insert(blocks);
          if (++transactions === 2) await query(handle, 'select pg_terminate_backend(pg_backend_pid())');
        },
      }),
    });
    await assert.rejects(killed);
    assert.equal((await wholeHistory(500)).length, 10_000);
    const moved = await move();
    assert.ok(moved > 0 && moved < 10_000, `${moved}`);
    assert.equal((await wholeHistory(500)).length, 10_000);
  });

  it('leave no partitions behind', async () => {
    await storeRows(10);
    assert.deepEqual(await dropEmptyPartitions(sql(), MEASUREMENT_ROWS), []);
    await move();
    assert.ok((await dropEmptyPartitions(sql(), MEASUREMENT_ROWS)).length >= 1);
    assert.equal((await history()).items.length, 20);
  });
});
