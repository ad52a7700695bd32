import type { Knex } from 'knex';
import type { Database, PooledConnection, Sql } from './database.ts';
import { isRetryable } from './faults.ts';
import { query } from './query.ts';

/** Everything done with `sql` commits together, or not at all. */
export interface InTransaction {
  readonly sql: Sql;
}

export interface Transaction extends InTransaction {
  /** Runs the effect after the commit. For speed only, as signals to other processes are: a crash may lose it. */
  afterCommit(effect: () => void): void;
}

/** Runs the work in a transaction; a caller that already has one passes a `Transact` that joins it. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

const ATTEMPTS = 4;

export interface TransactOptions {
  /**
   * `once`: prepared statements are planned once for all values. By default PostgreSQL plans them again for each
   * execution while it expects values to matter, which for few rows costs more than the execution.
   */
  plans?: 'by values' | 'once';
  /** No statement waits longer for a lock. Default: as long as the statement may take. */
  lockTimeoutMs?: number;
}

/** In one message, since each costs a round trip. */
const toBegin = ({ plans, lockTimeoutMs }: TransactOptions): string =>
  [
    'begin',
    ...(plans === 'once' ? ['set local plan_cache_mode = force_generic_plan'] : []),
    ...(lockTimeoutMs === undefined ? [] : [`set local lock_timeout = ${lockTimeoutMs}`]),
  ].join('; ');

/** After a deadlock or serialization failure the work runs again, so it must have no effects except through `sql`. */
export function createTransact(database: Database, options: TransactOptions = {}): Transact {
  const begin = toBegin(options);
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(database, begin, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  };
}

async function runOnce<T>(
  database: Database,
  begin: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const effects: Array<() => void> = [];
  const result = await onOneConnection(database, begin, (sql) =>
    work({ sql, afterCommit: (effect) => void effects.push(effect) }),
  );
  for (const effect of effects) effect();
  return result;
}

/** A server that has not answered by then is given up. */
const ROLLBACK = { text: 'rollback', query_timeout: 5_000 };

/**
 * Not with Knex's own transactions: each creates a query builder of some hundred functions, which costs more than a
 * statement, and its hidden classes retain everything the work touched until the next full garbage collection.
 */
async function onOneConnection<T>(
  database: Database,
  begin: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const connection: PooledConnection = await database.client.acquireConnection();
  let isOver = false;
  const sql: Sql = {
    raw(text: string, bindings: readonly Knex.RawBinding[]) {
      // A failed work may still have code running, whose statements must not reach the connection's next transaction.
      if (isOver) throw new Error('The transaction of this statement is over');
      return database.raw(text, bindings).connection(connection);
    },
    isTransaction: true,
  };
  try {
    await connection.query(begin);
    const result = await work(sql);
    isOver = true;
    const { command } = await connection.query('commit');
    // PostgreSQL answers so when a statement failed and the work went on regardless.
    if (command === 'ROLLBACK') throw new Error('The transaction was undone: one of its statements failed');
    return result;
  } catch (error) {
    isOver = true;
    await rollback(connection);
    throw error;
  } finally {
    await database.client.releaseConnection(connection);
  }
}

async function rollback(connection: PooledConnection): Promise<void> {
  if (connection.__knex__disposed) return;
  try {
    await connection.query(ROLLBACK);
  } catch (error) {
    connection.__knex__disposed ??= error;
  }
}

/**
 * Joins the given transaction under a savepoint: a failed work is rolled back alone, and the transaction goes on. One
 * work at a time.
 */
export function joinTransaction({ sql, afterCommit }: Transaction): Transact {
  return async (work) => {
    const effects: Array<() => void> = [];
    await query(sql, 'savepoint joined');
    try {
      const result = await work({ sql, afterCommit: (effect) => void effects.push(effect) });
      await query(sql, 'release savepoint joined');
      for (const effect of effects) afterCommit(effect);
      return result;
    } catch (error) {
      await query(sql, 'rollback to savepoint joined');
      throw error;
    }
  };
}
