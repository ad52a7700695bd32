/** Tables partitioned by time: partitions are created ahead of time or on demand, and dropped by age. */
import { setTimeout } from 'node:timers/promises';
import type { PartitionedTable } from '../../migrations/partitioned-tables.ts';
import { firstIdAt } from '../process/uuid.ts';
import type { Database } from './database.ts';
import { toExpectRowsOfEach } from './distribute.ts';
import { isLockTimeout } from './faults.ts';
import { query } from './query.ts';
import { createTransact } from './transaction.ts';

/** The start of the partition that contains the time, or of the one `later` spans after it. */
function startOf({ span }: PartitionedTable, at: Date, later = 0): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(span === 'day' ? Date.UTC(year, month, day + later) : Date.UTC(year, month + later));
}

function nameOf({ name, span }: PartitionedTable, start: Date): string {
  const digits = start.toISOString().slice(0, 10).replaceAll('-', '');
  return `${name}_${span === 'day' ? digits : digits.slice(0, 6)}`;
}

const boundOf = ({ key }: PartitionedTable, at: Date) => (key === 'id' ? firstIdAt(at) : at.toISOString());

/** Creates missing partitions around the time. */
export function createPartitions(database: Database, table: PartitionedTable, now: Date): Promise<void> {
  const offsets = Array.from({ length: table.behind + 1 + table.ahead }, (_, index) => index - table.behind);
  return createMissing(
    database,
    table,
    offsets.map((offset) => startOf(table, now, offset)),
  );
}

async function createMissing(database: Database, table: PartitionedTable, starts: Date[]): Promise<void> {
  const known = new Set(await listPartitions(database, table));
  for (const start of starts) if (!known.has(nameOf(table, start))) await createOne(database, table, start);
}

/** The end of the existing partitions without a gap from now on, until which rows can be inserted. */
export async function findPartitionsEnd(sql: Database, table: PartitionedTable, now: Date): Promise<Date> {
  const known = new Set(await listPartitions(sql, table));
  let end = startOf(table, now);
  while (known.has(nameOf(table, end))) end = startOf(table, end, 1);
  return end;
}

/** Whether there are earlier partitions, and not that of the time. */
export async function isSkipped(sql: Database, table: PartitionedTable, at: Date): Promise<boolean> {
  const name = nameOf(table, startOf(table, at));
  const known = await listPartitions(sql, table);
  return !known.includes(name) && known.some((each) => each < name);
}

/** Oldest first. */
const listPartitions = (sql: Database, { name }: PartitionedTable): Promise<string[]> =>
  sql('pg_inherits as i')
    .join('pg_class as c', 'c.oid', 'i.inhrelid')
    .whereRaw('i.inhparent = ?::regclass', [name])
    .orderBy('c.relname')
    .pluck('c.relname');

/**
 * Creates a separate table and attaches it: this neither blocks writers nor waits for them, whereas
 * `partition of` locks the whole table.
 */
async function createOne(database: Database, table: PartitionedTable, start: Date): Promise<void> {
  const name = nameOf(table, start);
  await createTransact(database)(async ({ sql }) => {
    await sql.select(sql.raw('pg_advisory_xact_lock(hashtext(?))', [name]));
    if ((await listPartitions(sql, table)).includes(name)) return;
    const [first, after] = [boundOf(table, start), boundOf(table, startOf(table, start, 1))];
    if (!(await isOwner(sql, table))) {
      await sql.select(sql.raw('create_partition(?, ?, ?, ?)', [name, table.name, first, after]));
      return;
    }
    await query(
      sql,
      `create table ${name} (like ${table.name} including defaults including generated including constraints including storage)`,
    );
    const storage = await storageOf(sql, table);
    if (storage !== null) await query(sql, `alter table ${name} set (${storage})`);
    if (sql.isDistributed) await query(sql, toExpectRowsOfEach(name));
    await query(
      sql,
      `alter table ${table.name} attach partition ${name} for values from ('${first}') to ('${after}')`,
    );
  });
}

/** Settings of autovacuum, which the schema holds; null: as by default. */
async function storageOf(sql: Database, { name }: PartitionedTable): Promise<string | null> {
  return (await sql.first(sql.raw('storage_of_partition(?) as storage', [name]))).storage;
}

/**
 * A service user without that right calls functions of the owner instead (create_partition, drop_partition).
 */
async function isOwner(sql: Database, { name }: PartitionedTable): Promise<boolean> {
  const owned = await sql('pg_class')
    .whereRaw(`oid = ?::regclass and pg_has_role(relowner, 'usage')`, [name])
    .first('oid');
  return owned !== undefined;
}

const DROP_ATTEMPTS = 20;
const LOCK_TIMEOUT_MS = 250;
const PAUSE_MS = 500;

/** Drops the partitions that ended before the time. Returns their names. */
export async function dropPartitions(
  database: Database,
  table: PartitionedTable,
  before: Date,
): Promise<string[]> {
  const first = nameOf(table, startOf(table, before));
  const old = (await listForRemoval(database, table)).filter(({ name }) => name < first);
  if (old.length === 0) return [];
  const isOwned = await isOwner(database, table);
  const canDetach = isOwned && !(await hasCitus(database));
  for (const { name, state } of old) {
    if (canDetach) await detach(database, table, name, state);
    await dropNow(database, (sql) =>
      isOwned
        ? query(sql, `drop table if exists ${name}`)
        : sql.select(sql.raw('drop_partition(?, ?)', [name, table.name])),
    );
  }
  return old.map(({ name }) => name);
}

/**
 * Citus refuses to detach concurrently, and so does a function of the owner: on Citus a partition is dropped
 * directly, in short attempts to lock its table.
 */
async function hasCitus(sql: Database): Promise<boolean> {
  return (await sql('pg_extension').where({ extname: 'citus' }).first('oid')) !== undefined;
}

type PartitionState = 'attached' | 'detaching' | 'detached';

/** Oldest first, including partitions whose removal was begun by a process that was killed. */
const listForRemoval = (
  sql: Database,
  { name }: PartitionedTable,
): Promise<Array<{ name: string; state: PartitionState }>> =>
  sql({ c: 'pg_class' })
    .leftJoin({ i: 'pg_inherits' }, { 'i.inhrelid': 'c.oid' })
    .whereRaw('c.relnamespace = (select relnamespace from pg_class where oid = ?::regclass)', [name])
    .where({ 'c.relkind': 'r' })
    .where('c.relname', '~', `^${name}_[0-9]{6,8}$`)
    .whereRaw('(i.inhparent is null or i.inhparent = ?::regclass)', [name])
    .orderBy('c.relname')
    .select({ name: 'c.relname' })
    .select(
      sql.raw(
        `case when i.inhparent is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end as state`,
      ),
    );

/**
 * Detaching concurrently blocks neither readers nor writers, whereas a drop would lock the whole table; it
 * waits for transactions that use the table, and so for a long dump.
 */
async function detach(
  database: Database,
  { name: table }: PartitionedTable,
  name: string,
  state: PartitionState,
): Promise<void> {
  if (state === 'detached') return;
  const how = state === 'detaching' ? 'finalize' : 'concurrently';
  await query(database, `alter table ${table} detach partition ${name} ${how}`);
}

/** A reader with an older plan may still hold a lock, so the drop times out early and is repeated. */
async function dropNow(database: Database, drop: (sql: Database) => PromiseLike<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createTransact(database, { lockTimeoutMs: LOCK_TIMEOUT_MS })(async ({ sql }) => {
        await drop(sql);
      });
    } catch (error) {
      if (attempt === DROP_ATTEMPTS || !isLockTimeout(error)) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

export type PartitionKeeper = ReturnType<typeof createPartitionKeeper>;

/** Caches existing partitions, so rows of known ones cost no query. */
export function createPartitionKeeper(database: Database, table: PartitionedTable) {
  const known = new Set<number>();
  return {
    /** Creates missing partitions for these times. */
    async ensure(times: Iterable<Date>): Promise<void> {
      const missing = new Set<number>();
      for (const at of times) {
        const start = startOf(table, at).getTime();
        if (!known.has(start)) missing.add(start);
      }
      if (missing.size === 0) return;
      await createMissing(
        database,
        table,
        [...missing].map((start) => new Date(start)),
      );
      for (const start of missing) known.add(start);
    },
    /**
     * To be called after an insert found no partition, because another process may have dropped one that is
     * cached here.
     */
    forget: () => known.clear(),
  };
}
