/**
 * The reads of a page of history and of a late frame, for a device that sends every second and whose day is
 * not compacted yet.
 */
import assert from 'node:assert/strict';
import pg from 'pg';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { toCursor } from '../../src/measurements/history.ts';
import { temperature } from './fixtures.ts';
import { timesOf, useLogger } from './harness.ts';

const DAY_SECONDS = 86_400;
const startMs = (Math.floor(Date.now() / 86_400_000) - 1) * 86_400_000;
const at = (second: number) => new Date(startMs + second * 1000);
/** Seconds of the day: in its first minute, at noon and at its end. */
const POSITIONS = [600, DAY_SECONDS / 2, DAY_SECONDS - 1];

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows of blocks that were read, used or not. */
const blocksRead = (plan: Plan): number => {
  const rows = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  const own = plan['Relation Name']?.startsWith('measurement_blocks') ? rows : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + blocksRead(child), own);
};

describe('With a reading every second', () => {
  const logger = useLogger();
  const { frame, history, intakeWith } = logger;
  const sql = () => logger.dms.service.sql;
  let client: pg.Client;

  before(async () => {
    client = new pg.Client(logger.dms.settings.databaseUrl);
    await client.connect();
    // As connections plan prepared statements after some executions.
    await client.query('set plan_cache_mode = force_generic_plan');
  });
  after(() => client.end());

  /** The readings of a day, with this many in a block. */
  async function storeDay(perBlock: number): Promise<void> {
    // On the first of a month, yesterday has no partition yet.
    await createPartitionKeeper(sql(), MEASUREMENTS).ensure([at(0)]);
    await query(
      sql(),
      `insert into measurement_blocks
         (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
       select ?, ?, at, at + make_interval(secs => ${perBlock - 1}), at, 1, 1, 0, false, array_fill(7, array[${perBlock}])
       from generate_series(?::timestamptz, ?, make_interval(secs => ${perBlock})) as at`,
      [logger.org.id, logger.assetId, at(0).toISOString(), at(DAY_SECONDS - 1).toISOString()],
    );
    await query(sql(), 'update device_states set latest_measured_at = ? where asset_id = ?', [
      at(DAY_SECONDS - 1).toISOString(),
      logger.assetId,
    ]);
    await query(sql(), 'analyze measurement_blocks');
  }

  /** Number of blocks that the statements of the work read. */
  async function countRead(work: () => Promise<unknown>): Promise<number> {
    const statements: Array<{ sql: string; bindings: unknown[] }> = [];
    const record = (statement: { sql: string; bindings: unknown[] }) => {
      if (/^\s*select.*from measurement_blocks/s.test(statement.sql)) statements.push(statement);
    };
    sql().on('query', record);
    await work().finally(() => sql().off('query', record));
    assert.ok(statements.length > 0, 'no statement was recorded');
    let sum = 0;
    for (const statement of statements) sum += blocksRead(await explain(statement.sql, statement.bindings));
    return sum;
  }

  async function explain(text: string, bindings: unknown[]): Promise<Plan> {
    const textOf = (value: unknown) => (Array.isArray(value) ? `{${value.join()}}` : String(value));
    const values = bindings.map((value) => client.escapeLiteral(textOf(value)));
    await client.query(`prepare recorded as ${text}`);
    const { rows } = await client.query(`explain (analyze, format json) execute recorded (${values.join()})`);
    await client.query('deallocate recorded');
    return rows[0]['QUERY PLAN'][0].Plan;
  }

  /** A cursor as if the page before had ended there: its position follows the mark of the list. */
  async function pathOf(second: number, limit: number): Promise<string> {
    const { nextCursor, items } = await history('?limit=1');
    const [last] = items as Array<{ measuredAt: string; channel: number }>;
    const end = toCursor({ measuredAt: new Date(last?.measuredAt as string), channel: 1 });
    const mark = nextCursor.slice(0, -end.length);
    return `?limit=${limit}&cursor=${mark}${toCursor({ measuredAt: at(second), channel: 1 })}`;
  }

  for (const perBlock of [1, 2, 10]) {
    it(`reads few more blocks than a page has readings, anywhere in the day, with ${perBlock} readings per block`, async () => {
      await storeDay(perBlock);
      for (const [second, limit] of POSITIONS.flatMap((each) =>
        [50, 500].map((size) => [each, size] as const),
      )) {
        const path = await pathOf(second, limit);
        const { items } = await history(path);
        const expected = Array.from({ length: limit }, (_, index) => at(second - 1 - index).toISOString());
        assert.deepEqual(timesOf(items), expected);
        const read = await countRead(() => history(path));
        assert.ok(read <= 2 * limit + 100, `${read} blocks for ${limit} readings before second ${second}`);
      }
      const to = `?limit=50&to=${at(DAY_SECONDS / 2).toISOString()}`;
      const read = await countRead(() => history(to));
      assert.ok(read <= 200, `${read} blocks up to noon`);
    });
  }

  it('compares a late frame with few blocks, even if its readings are far apart', async () => {
    await storeDay(1);
    for (const seconds of [[5], [5.5, 8], [10.5, 20_000, DAY_SECONDS - 2]]) {
      const readings = seconds.map((second) => temperature(7, { measuredAt: at(second) }));
      const read = await countRead(async () => {
        const result = await intakeWith().receive(frame({ readings }));
        assert.equal(result?.duplicates, seconds.filter(Number.isInteger).length);
      });
      assert.ok(read <= 20, `${read} blocks for ${seconds.length} readings`);
    }
  });
});
