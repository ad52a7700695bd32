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
  /**
   * Runs the last statement, if any, of the transaction: the commit follows it without waiting for its answer, so it may
   * be one statement only. Where it fails, nothing is committed.
   */
  finishWith(statement: () => Promise<void>): void;
}

/** Runs the work in a transaction; a caller that already has one passes a `Transact` that joins it. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

const ATTEMPTS = 4;

export interface TransactOptions {
  /**
   * `once`: prepared statements are planned once for all values. By default PostgreSQL plans them again for each
   * execution while it expects values to matter, which for few rows costs more than the execution. Where tables are
   * distributed, values say which node a statement runs on: then always by values.
   */
  plans?: 'by values' | 'once';
  /** No statement waits longer for a lock. Default: as long as the statement may take. */
  lockTimeoutMs?: number;
  /**
   * Saves a round trip: the begin and the first statement of the work are sent together. If the begin fails, that statement
   * runs outside of a transaction, so it must be one that changes nothing. Default: no.
   */
  startsWithRead?: boolean;
  /** The work failed by a conflict with another transaction, and runs again. */
  onRetry?(): void;
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
  const own: TransactOptions = database.isDistributed ? { ...options, plans: 'by values' } : options;
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(database, own, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
        options.onRetry?.();
      }
    }
  };
}

async function runOnce<T>(
  database: Database,
  options: TransactOptions,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const effects: Array<() => void> = [];
  const afterCommit = (effect: () => void) => void effects.push(effect);
  const connection: PooledConnection = await database.client.acquireConnection();
  try {
    const result = await runOn(database, connection, options, (tx) => work({ ...tx, afterCommit }));
    for (const effect of effects) effect();
    return result;
  } finally {
    await database.client.releaseConnection(connection);
  }
}

/** A server that has not answered by then is given up. */
const ROLLBACK = { text: 'rollback', query_timeout: 5_000 };

/**
 * Not with Knex's own transactions: each creates a query builder of some hundred functions, which costs more than a
 * statement, and its hidden classes retain everything the work touched until the next full garbage collection.
 */
async function runOn<T>(
  database: Database,
  connection: PooledConnection,
  options: TransactOptions,
  work: (tx: Omit<Transaction, 'afterCommit'>) => Promise<T>,
): Promise<T> {
  const statements = createStatements(database, connection);
  let finished = Promise.resolve();
  let finishIsSent = Promise.resolve();
  const begun = begin(connection, options);
  begun.catch(statements.end);
  try {
    if (!options.startsWithRead) await begun;
    const result = await work({
      sql: statements.sql,
      finishWith(statement) {
        const isSent = statements.nextIsSent();
        finished = statement();
        // A statement about several organizations is sent as several there.
        finishIsSent = database.isDistributed ? finished : isSent;
      },
    });
    await Promise.race([finishIsSent, finished]);
    statements.end();
    const [{ command }] = await Promise.all([connection.query('commit'), begun, finished]);
    // PostgreSQL answers so when a statement failed and the work went on regardless.
    if (command === 'ROLLBACK') throw new Error(UNDONE);
    return result;
  } catch (error) {
    statements.end();
    await rollback(connection);
    await begun;
    throw error;
  }
}

const UNDONE = 'The transaction was undone: one of its statements failed';

/** In one write with a statement that follows within this turn of the event loop. */
function begin(connection: PooledConnection, options: TransactOptions): Promise<unknown> {
  const { stream } = connection.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
  return connection.query(toBegin(options));
}

/** Statements on the connection, as long as the transaction lasts. */
function createStatements(database: Database, connection: PooledConnection) {
  let isOver = false;
  let made = 0;
  let sent = 0;
  let awaited = { sent: Number.POSITIVE_INFINITY, resolve() {} };
  /** Knex sends a statement some turns after it was made. */
  const counting: PooledConnection = Object.create(connection, {
    query: {
      value(...args: Parameters<PooledConnection['query']>) {
        connection.query(...args);
        sent++;
        if (sent >= awaited.sent) awaited.resolve();
      },
    },
  });
  const sql: Sql = {
    raw(text: string, bindings: readonly Knex.RawBinding[]) {
      // A failed work may still have code running, whose statements must not reach the connection's next transaction.
      if (isOver) throw new Error('The transaction of this statement is over');
      made++;
      return database.raw(text, bindings).connection(counting);
    },
    isTransaction: true,
    isDistributed: database.isDistributed,
  };
  return {
    sql,
    end(): void {
      isOver = true;
    },
    nextIsSent: () =>
      new Promise<void>((resolve) => {
        awaited = { sent: made + 1, resolve };
      }),
  };
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
    const finishing: Array<Promise<void>> = [];
    await query(sql, 'savepoint joined');
    try {
      const result = await work({
        sql,
        afterCommit: (effect) => void effects.push(effect),
        finishWith: (statement) => void finishing.push(statement()),
      });
      await Promise.all(finishing);
      await query(sql, 'release savepoint joined');
      for (const effect of effects) afterCommit(effect);
      return result;
    } catch (error) {
      await query(sql, 'rollback to savepoint joined');
      throw error;
    }
  };
}
