/**
 * Steady deliveries while an old snapshot, such as that of a dump, keeps all of them from being vacuumed.
 *
 * HELD_SECONDS: how long it is kept (default: 600).
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { keepFigures } from '../support/figures.ts';
import { forgetStatements, readStatements, recordStatements } from '../support/statement-times.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { addEndpoints, createPublisher, type Publisher, untilDelivered } from '../support/webhook-load.ts';
import { type DeliveryBench, publishAt, statsOf } from './delivery-bench.ts';

const HELD_SECONDS = Number(process.env.HELD_SECONDS ?? 600);
const PER_SECOND = 500;
const ENDPOINTS = 10;
const QUIET_SECONDS = 30;
const ROWS = 5;
/** As long as autovacuum may take to notice, twice. */
const VACUUM_SECONDS_MAX = 180;
/** Without its values, until the statistics are reset. */
const CLAIM = /update deliveries d set state = ('sending'|\$\d+), leased_until/;
/** Columns. */
const P95 = 2;
const MS_A_CLAIM = 3;
const POLL = /"oldestId"/;

export async function benchHeldSnapshot(bench: DeliveryBench): Promise<void> {
  const { sql } = bench.stack;
  const ids = await addEndpoints(sql, ENDPOINTS, `${bench.sinkUrl}/hook`);
  const publisher = createPublisher(sql);
  await publishAt(publisher, { perSecond: PER_SECOND, seconds: QUIET_SECONDS / 3 }, ids);
  await recordStatements(sql, true);
  const rows = [await measure(bench, publisher, ids, { name: 'quiet', seconds: QUIET_SECONDS })];
  // A connection of its own: the service ends its own transactions when they are idle for long.
  const dump = new pg.Client({ connectionString: bench.stack.databaseUrl });
  await dump.connect();
  await dump.query('begin isolation level repeatable read; select 1');
  const seconds = HELD_SECONDS / ROWS;
  for (let row = 1; row <= ROWS; row++)
    rows.push(await measure(bench, publisher, ids, { name: `held for ${row * seconds} s`, seconds }));
  keepHeld(rows);
  await dump.end();
  const vacuumedAfter = await untilVacuumed(sql);
  rows.push(await measure(bench, publisher, ids, { name: 'afterwards', seconds: QUIET_SECONDS }));
  printTable(
    `${PER_SECOND} events/s to ${ENDPOINTS} endpoints while a snapshot is held; vacuumed ${vacuumedAfter} afterwards`,
    ['', 'p50 ms', 'p95 ms', 'ms a claim', 'claims/s', 'ms a poll', 'dead deliveries'],
    rows,
  );
}

/** The first row is quiet. */
function keepHeld([quiet = [], ...held]: Cell[][]): void {
  const most = (column: number) => Math.max(...held.map((row) => Number(row[column])));
  keepFigures({
    'held.p95ToQuiet': round(most(P95) / Number(quiet[P95]), 2),
    'held.claimMs': most(MS_A_CLAIM),
  });
}

async function measure(
  { stack: { sql }, sinkUrl }: DeliveryBench,
  publisher: Publisher,
  ids: string[],
  { name, seconds }: { name: string; seconds: number },
): Promise<Cell[]> {
  await statsOf(sinkUrl);
  await forgetStatements(sql);
  await publishAt(publisher, { perSecond: PER_SECOND, seconds }, ids);
  await untilDelivered(sql);
  const { p50, p95 } = await statsOf(sinkUrl);
  const statements = await readStatements(sql);
  const of = (text: RegExp) => statements.find((each) => text.test(each.text)) ?? { calls: 0, ms: 0 };
  const [claim, poll] = [of(CLAIM), of(POLL)];
  return [
    name,
    round(p50),
    round(p95),
    round(claim.ms / claim.calls, 2),
    round(claim.calls / seconds),
    round(poll.ms / poll.calls, 2),
    await countDead(sql),
  ];
}

async function countDead(sql: Database): Promise<number> {
  const [row] = await query<{ dead: number }>(
    sql,
    `select pg_stat_clear_snapshot(), sum(n_dead_tup)::float8 as dead from pg_stat_user_tables where relname ~ '^deliveries_'`,
  );
  return row?.dead ?? 0;
}

async function untilVacuumed(sql: Database): Promise<string> {
  const before = await countDead(sql);
  const startedAt = performance.now();
  for (;;) {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if ((await countDead(sql)) < before / 10) return `by autovacuum ${seconds} s`;
    if (seconds > VACUUM_SECONDS_MAX) return `not within ${VACUUM_SECONDS_MAX} s`;
    await delay(1_000);
  }
}
