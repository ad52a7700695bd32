/** Partitions with old rows are dropped, and new rows always have one. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { DELIVERY_TABLES, MEASUREMENTS, type PartitionedTable } from '../../migrations/partitioned-tables.ts';
import { type Database, openDatabase, type Sql } from '../../src/db/database.ts';
import { createPartitionKeeper, createPartitions, dropPartitions } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { firstIdAt } from '../../src/process/uuid.ts';
import { newDatabase } from '../support/servers.ts';

describe('Partitions', () => {
  let sql: Database;
  const deliveries = DELIVERY_TABLES.find(({ name }) => name === 'deliveries') as PartitionedTable;
  /** Noon of the day of the migration, which may be yesterday. */
  let now: Date;
  const daysFromNow = (days: number) => new Date(now.getTime() + days * DAY_MS);
  const nameAt = (days: number) =>
    `deliveries_${daysFromNow(days).toISOString().slice(0, 10).replaceAll('-', '')}`;

  let other: Database;

  before(async () => {
    const url = await newDatabase();
    const open = () => openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
    [sql, other] = [open(), open()];
    const [, year, month, day] = /(....)(..)(..)$/.exec((await partitions('deliveries'))[1] ?? '') ?? [];
    now = new Date(`${year}-${month}-${day}T12:00:00Z`);
  });
  after(async () => {
    await sql.destroy();
    await other.destroy();
  });

  const partitions = async (table: string) => {
    const rows = await query<{ name: string }>(
      sql,
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = ?::regclass order by 1`,
      [table],
    );
    return rows.map(({ name }) => name);
  };

  async function storageOf(name: string): Promise<string[] | null | undefined> {
    const rows = await query<{ storage: string[] | null }>(
      sql,
      'select reloptions as storage from pg_class where relname = ?',
      [name],
    );
    return rows[0]?.storage;
  }

  async function insertAt(days: number): Promise<void> {
    await query(
      sql,
      `insert into deliveries (id, endpoint_id, organization_id, event_id, event_type, state)
       values (?, uuidv7(), uuidv7(), uuidv7(), 'config.applied', 'pending')`,
      [firstIdAt(daysFromNow(days))],
    );
  }

  it('sets autovacuum for each partition alike, whoever creates it', async () => {
    for (const table of DELIVERY_TABLES) {
      const nameOn = (days: number) => nameAt(days).replace('deliveries', table.name);
      await createPartitions(sql, { ...table, ahead: 8 }, now);
      const [first, after] = [firstIdAt(daysFromNow(20)), firstIdAt(daysFromNow(21))];
      await query(sql, 'select create_partition(?, ?, ?, ?)', [nameOn(20), table.name, first, after]);
      const settings = [0, 8, 20].map((days) => storageOf(nameOn(days)));
      const [byMigration, ...others] = await Promise.all(settings);
      assert.ok(byMigration?.join().includes('autovacuum'), `${table.name}: ${byMigration}`);
      assert.deepEqual(others, [byMigration, byMigration]);
      await query(sql, `drop table ${nameOn(8)}, ${nameOn(20)}`);
    }
  });

  it('creates daily partitions from yesterday to a week ahead with the migration', async () => {
    for (const { name } of DELIVERY_TABLES) {
      assert.equal((await partitions(name)).length, 9, name);
    }
    assert.ok(Math.abs(now.getTime() - Date.now()) < 2 * DAY_MS);
    assert.deepEqual(await partitions('deliveries'), [-1, 0, 1, 2, 3, 4, 5, 6, 7].map(nameAt));
    for (const days of [-1, 0, 1, 7]) await insertAt(days);
  });

  it('creates only missing partitions, and keeps the rows of the others', async () => {
    await createPartitions(sql, deliveries, now);
    await createPartitions(sql, deliveries, daysFromNow(1));
    assert.equal((await partitions('deliveries')).length, 10);
    await insertAt(8);
    assert.equal((await query(sql, 'select 1 from deliveries')).length, 5);
  });

  it('drops partitions that are older than the retention, and no others', async () => {
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

  it('creates monthly partitions from this month to two months ahead with the migration', async () => {
    const monthsFromNow = (months: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months))
        .toISOString()
        .slice(0, 7)
        .replace('-', '');
    assert.deepEqual(
      await partitions('measurement_blocks'),
      [0, 1, 2].map((months) => `measurement_blocks_${monthsFromNow(months)}`),
    );
  });

  it('drops a month when all of it is older than the retention', async () => {
    const keeper = createPartitionKeeper(sql, MEASUREMENTS);
    await keeper.ensure([new Date('2019-12-31T23:59:59.999Z'), new Date('2020-01-01T00:00:00.000Z')]);
    for (const at of ['2019-12-31T23:59:59.999Z', '2020-01-01T00:00:00.000Z']) {
      await query(
        sql,
        `insert into measurement_blocks (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
         values (uuidv7(), uuidv7(), ?, ?, now(), 1, 1, 0, false, '{1}')`,
        [at, at],
      );
    }
    assert.deepEqual(await dropPartitions(sql, MEASUREMENTS, new Date('2019-12-31T23:59:59.999Z')), []);
    assert.deepEqual(await dropPartitions(sql, MEASUREMENTS, new Date('2020-01-31T23:59:59.999Z')), [
      'measurement_blocks_201912',
    ]);
    assert.equal((await query(sql, 'select 1 from measurement_blocks')).length, 1);
  });

  it('drops a partition once its writer has committed, and blocks no other writer meanwhile', async () => {
    const keeper = createPartitionKeeper(sql, MEASUREMENTS);
    await keeper.ensure([new Date('2018-05-01'), new Date('2018-06-01')]);
    const insert = (handle: Sql, at: string) =>
      query(
        handle,
        `insert into measurement_blocks (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
         values (uuidv7(), uuidv7(), ?, ?, now(), 1, 1, 0, false, '{1}')`,
        [at, at],
      );
    const writer = await sql.transaction();
    await insert(writer, '2018-05-02');
    const dropped = dropPartitions(sql, MEASUREMENTS, new Date('2018-06-01'));
    await sleep(100);
    const startedAt = performance.now();
    await insert(other, '2018-06-02');
    assert.ok(performance.now() - startedAt < 1_000);
    await writer.commit();
    assert.deepEqual(await dropped, ['measurement_blocks_201805']);
  });

  it('begins a partition with the first id of its day, by the time that PostgreSQL reads from a UUIDv7', async () => {
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

describe('The first id of a moment', () => {
  it('sorts the first ids of moments like the moments', () => {
    const moment = () => fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moment(), moment(), (one, other) => {
        assert.match(firstIdAt(one), /^[0-9a-f]{8}-[0-9a-f]{4}-0000-0000-000000000000$/);
        assert.equal(firstIdAt(one) < firstIdAt(other), one < other);
      }),
    );
  });
});
