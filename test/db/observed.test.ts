/** The database for operators: pools, counted faults, notifications, partitions. */
import assert from 'node:assert/strict';
import { DELIVERY_TABLES, type PartitionedTable } from '../../migrations/partitioned-tables.ts';
import { createBatchTransact } from '../../src/db/batch-transaction.ts';
import { type Database, openDatabase, readPool } from '../../src/db/database.ts';
import { type FaultKind, staleRead } from '../../src/db/faults.ts';
import { listenTo } from '../../src/db/listen.ts';
import { findArchiveFailureSeconds } from '../../src/db/log-archive.ts';
import { createPartitions, findPartitionsEnd } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { eventually } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';

describe('The database as operators see it', () => {
  let url: string;
  let sql: Database;
  const faults: FaultKind[] = [];

  before(async () => {
    url = await newDatabase();
    sql = openDatabase({
      url,
      poolSize: 1,
      statementTimeoutMs: 2_000,
      applicationName: 'test',
      onFault: (kind) => void faults.push(kind),
    });
  });
  after(() => sql.destroy());
  beforeEach(() => void faults.splice(0));

  it('shows the used and idle connections, and the callers that wait for one', async () => {
    const transact = createTransact(sql);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = transact(() => ended);
    const second = transact(async () => 'second');
    await eventually(
      async () => readPool(sql),
      (state) => state?.waiting === 1,
      { pauseMs: 5 },
    );
    assert.deepEqual(readPool(sql), { used: 1, idle: 0, waiting: 1, max: 1 });
    end();
    await Promise.all([first, second]);
    assert.deepEqual(readPool(sql), { used: 0, idle: 1, waiting: 0, max: 1 });
  });

  it('counts statements and locks that took too long, and transactions that were retried', async () => {
    await assert.rejects(query(sql, 'select pg_sleep(5)'));
    const other = openDatabase({ url, poolSize: 1, statementTimeoutMs: 0, applicationName: 'other' });
    await createTransact(other)(async (holder) => {
      await query(holder.sql, 'lock table organizations');
      const waiting = createBatchTransact(sql, { lockTimeoutMs: 50 });
      await assert.rejects(waiting((tx) => query(tx.sql, 'select 1 from organizations')));
    });
    await other.destroy();
    let tries = 0;
    const retrying = createTransact(sql, { onRetry: () => void faults.push('retried') });
    await retrying(async () => {
      if (tries++ === 0) throw staleRead('changed meanwhile');
    });
    assert.deepEqual(faults, ['statement_timeout', 'lock_timeout', 'retried']);
  });

  it('shows how long the archive of the log has taken nothing while attempts fail', async () => {
    assert.equal(await findArchiveFailureSeconds(sql), 0);
    const failing = await createTransact(sql)(async (tx) => {
      // Temporary tables hide the views of these names.
      await query(
        tx.sql,
        `create temporary table pg_settings on commit drop as select 'archive_mode' as name, 'on' as setting`,
      );
      await query(
        tx.sql,
        `create temporary table pg_stat_archiver on commit drop as
         select now() - interval '20 minutes' as last_archived_time, now() as last_failed_time, now() as stats_reset`,
      );
      return findArchiveFailureSeconds(tx.sql);
    });
    assert.equal(failing, 1_200);
  });

  it('counts callers that got no connection', async () => {
    const away = openDatabase({
      url: 'postgres://127.0.0.1:1/nothing',
      poolSize: 1,
      statementTimeoutMs: 0,
      applicationName: 'test',
      onFault: (kind) => void faults.push(kind),
    });
    await assert.rejects(query(away, 'select 1'));
    await away.destroy();
    assert.deepEqual(faults, ['no_connection']);
  });

  it('shows whether notifications arrive: not before it listens, and not when the connection is lost', async () => {
    let isLost = false;
    const listener = listenTo({
      url,
      channel: 'observed',
      onNotification() {},
      onFault() {
        isLost = true;
        assert.equal(listener.isListening(), false);
      },
    });
    assert.equal(listener.isListening(), false);
    const untilListening = () =>
      eventually(
        async () => listener.isListening(),
        (value) => value,
        { pauseMs: 10 },
      );
    await untilListening();
    await query(
      sql,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listen observed'`,
    );
    await eventually(
      async () => isLost,
      (value) => value,
      { pauseMs: 10 },
    );
    await untilListening();
    await listener.stop();
  });

  it('shows until when rows can be inserted: to the first missing partition', async () => {
    const [events] = DELIVERY_TABLES as [PartitionedTable];
    const now = new Date();
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    // The database may have been migrated before midnight.
    await createPartitions(sql, events, now);
    const endsIn = async () => ((await findPartitionsEnd(sql, events, now)).getTime() - today) / DAY_MS;
    assert.equal(await endsIn(), events.ahead + 1);
    const missing = new Date(today + 3 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
    await query(sql, `drop table events_${missing}`);
    assert.equal(await endsIn(), 3);
  });
});
