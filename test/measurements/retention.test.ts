import assert from 'node:assert/strict';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { dropPartitions } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

const DAY_MINUTES = 1_440;

describe('The retention of readings', () => {
  const logger = useLogger();
  const { frame, history, intakeWith } = logger;
  const partitions = () =>
    query<{ name: string }>(
      logger.dms.service.sql,
      `select relname as name from pg_class where relname like 'measurement_blocks_%' and relkind = 'r' order by 1`,
    );

  it('drops and counts older readings, and creates no partition for them', async () => {
    const before = await partitions();
    const readings = [temperature(-400 * DAY_MINUTES), temperature(-1)];
    const result = await intakeWith({ retentionMs: 365 * DAY_MINUTES * 60_000 }).receive(frame({ readings }));
    assert.deepEqual([result?.accepted, result?.dropped], [1, 1]);
    assert.equal((await history()).items.length, 1);
    assert.deepEqual(await partitions(), before);
  });

  it('removes a partition that a killed process had detached', async () => {
    const { sql } = logger.dms.service;
    await intakeWith().receive(
      frame({
        readings: [4, 5].map((month) => temperature(0, { measuredAt: new Date(Date.UTC(2018, month)) })),
      }),
    );
    await query(sql, 'alter table measurement_blocks detach partition measurement_blocks_201805');
    assert.deepEqual(await dropPartitions(sql, MEASUREMENTS, new Date(Date.UTC(2018, 6))), [
      'measurement_blocks_201805',
      'measurement_blocks_201806',
    ]);
    assert.deepEqual((await history()).items, []);
  });

  it('never waits for a lock that would block readers and writers, however long a read takes', async () => {
    const { sql } = logger.dms.service;
    await intakeWith().receive(frame({ readings: [temperature(0, { measuredAt: new Date('2018-03-02') })] }));
    const reader = await sql.transaction();
    await query(reader, 'select count(*) from measurement_blocks');
    const dropped = dropPartitions(sql, MEASUREMENTS, new Date('2018-04-01'));
    for (let look = 0; look < 20; look++) {
      const locks = await query(
        sql,
        `select from pg_locks where relation = 'measurement_blocks'::regclass and mode = 'AccessExclusiveLock'`,
      );
      assert.deepEqual(locks, []);
      await query(sql, 'select pg_sleep(0.05)');
    }
    assert.equal((await intakeWith().receive(frame()))?.accepted, 1);
    assert.ok((await history()).items.length > 0);
    await reader.commit();
    assert.deepEqual(await dropped, ['measurement_blocks_201803']);
  });
});
