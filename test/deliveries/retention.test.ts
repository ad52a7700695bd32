/** What is old is dropped by the day, and there is always a place for what is new. */
import assert from 'node:assert/strict';
import { openDatabase, type Sql } from '../../src/db/database.ts';
import {
  createPartitions,
  DELIVERY_TABLES,
  dropPartitions,
  firstIdAt,
  type PartitionedTable,
} from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { newDatabase } from '../support/servers.ts';

const DAY_MS = 86_400_000;

describe('Partitions by day', () => {
  let sql: Sql;
  const deliveries = DELIVERY_TABLES.find(({ name }) => name === 'deliveries') as PartitionedTable;
  const now = new Date();
  const daysFromNow = (days: number) => new Date(now.getTime() + days * DAY_MS);
  const nameAt = (days: number) =>
    `deliveries_${daysFromNow(days).toISOString().slice(0, 10).replaceAll('-', '')}`;

  before(async () => {
    sql = openDatabase({
      url: await newDatabase(),
      poolSize: 2,
      statementTimeoutMs: 0,
      applicationName: 'test',
    });
  });
  after(() => sql.destroy());

  const partitions = async (table: string) => {
    const rows = await query<{ name: string }>(
      sql,
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = ?::regclass order by 1`,
      [table],
    );
    return rows.map(({ name }) => name);
  };

  async function insertAt(days: number): Promise<void> {
    await query(
      sql,
      `insert into deliveries (id, webhook_id, organization_id, event_id, event_type, state)
       values (uuidv7(make_interval(days => ?)), uuidv7(), uuidv7(), uuidv7(), 'config.applied', 'held')`,
      [days],
    );
  }

  it('are there after a migration from yesterday to a week ahead, for every table', async () => {
    for (const { name } of DELIVERY_TABLES) {
      assert.equal((await partitions(name)).length, 9, name);
    }
    for (const days of [-1, 0, 1, 7]) await insertAt(days);
    assert.deepEqual((await partitions('deliveries')).slice(0, 2), [nameAt(-1), nameAt(0)]);
  });

  it('are made once, and those that are there keep their rows', async () => {
    await createPartitions(sql, deliveries, now);
    await createPartitions(sql, deliveries, daysFromNow(1));
    assert.equal((await partitions('deliveries')).length, 10);
    await insertAt(8);
    assert.equal((await query(sql, 'select 1 from deliveries')).length, 5);
  });

  it('are dropped with their rows when they are older than the retention, and not before', async () => {
    for (const days of [-10, -8]) await createPartitions(sql, deliveries, daysFromNow(days));
    for (const days of [-11, -8, -7, -6]) await insertAt(days);
    const before = await partitions('deliveries');
    const dropped = await dropPartitions(sql, deliveries, daysFromNow(-7));
    assert.deepEqual(dropped, [nameAt(-11), nameAt(-10), nameAt(-9), nameAt(-8)]);
    assert.deepEqual(
      await partitions('deliveries'),
      before.filter((name) => !dropped.includes(name)),
    );
    assert.equal((await query(sql, 'select 1 from deliveries')).length, 5 + 2);
    assert.deepEqual(await dropPartitions(sql, deliveries, daysFromNow(-7)), []);
  });

  it('begin with the first id of their day, as PostgreSQL counts the time of a UUIDv7', async () => {
    for (const moment of [new Date(0), now, new Date('2031-12-31T23:59:59.999Z'), new Date('9999-01-01')]) {
      const seventh = `${firstIdAt(moment).slice(0, 14)}7000-8000-000000000000`;
      const [row] = await query<{ at: Date; isFirst: boolean }>(
        sql,
        'select uuid_extract_timestamp(?::uuid) as at, ?::uuid < ?::uuid as "isFirst"',
        [seventh, firstIdAt(moment), seventh],
      );
      assert.deepEqual([row?.at, row?.isFirst], [moment, true]);
    }
  });
});
