/**
 * Transactions for batches of frames and of reports, which are frequent. They save round trips compared with
 * Knex's own transactions: the begin is sent together with the first statement, the commit together with the
 * last one, and plans of prepared statements are kept. They also avoid the query builder of some hundred
 * functions that Knex creates for each transaction, whose hidden classes retain everything the work touched
 * until the next full garbage collection.
 */
import type { Knex } from 'knex';
import type { Database, PooledConnection, Sql } from './database.ts';
import { isQueryTimeout } from './faults.ts';
import {
  type InTransaction,
  repeatAfterConflict,
  type TransactOptions,
  type TransactWith,
} from './transaction.ts';

interface BatchTransaction extends InTransaction {
  /**
   * Runs the last statement, if any, of the transaction. The commit follows it without waiting for its
   * answer, so it must be a single statement. If it fails, nothing is committed.
   */
  finishWith(statement: () => Promise<void>): void;
}

export type BatchTransact = TransactWith<BatchTransaction>;

interface BatchTransactOptions extends TransactOptions {
  /**
   * Saves a round trip: the begin and the first statement of the work are sent together. If the begin fails,
   * that statement runs outside of a transaction, so it must not change anything. Default: no.
   */
  startsWithRead?: boolean;
}

/** After a deadlock or serialization failure the work runs again, so it must have no effects except through `sql`. */
export function createBatchTransact(database: Database, options: BatchTransactOptions = {}): BatchTransact {
  return (work) => repeatAfterConflict(() => runOnce(database, options, work), options.onRetry);
}

async function runOnce<T>(
  database: Database,
  options: BatchTransactOptions,
  work: (tx: BatchTransaction) => Promise<T>,
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

async function runOn<T>(
  database: Database,
  connection: PooledConnection,
  options: BatchTransactOptions,
  work: (tx: Omit<BatchTransaction, 'afterCommit'>) => Promise<T>,
): Promise<T> {
  const statements = createStatements(database, connection);
  let finished = Promise.resolve();
  let finishIsSent = Promise.resolve();
  const begun = begin(connection, toBegin(database, options));
  begun.catch(statements.end);
  try {
    if (!options.startsWithRead) await begun;
    const result = await work({
      sql: statements.sql,
      finishWith(statement) {
        const isSent = statements.nextIsSent();
        finished = statement();
        // Where tables are distributed, a statement about several organizations is sent as several.
        finishIsSent = database.isDistributed ? finished : isSent;
      },
    });
    await Promise.race([finishIsSent, finished]);
    statements.end();
    const [{ command }] = await Promise.all([connection.query('commit'), begun, finished]);
    // PostgreSQL answers like this if a statement failed and the work went on regardless.
    if (command === 'ROLLBACK') throw new Error('The transaction was undone: one of its statements failed');
    return result;
  } catch (error) {
    statements.end();
    if (isQueryTimeout(error)) connection.__knex__disposed ??= error;
    await rollback(connection);
    await begun;
    throw error;
  }
}

/**
 * One message, because each costs a round trip. Prepared statements are planned once for all values: by default
 * PostgreSQL plans them again for each execution while it expects values to matter, which for few rows costs more than
 * the execution. Where tables are distributed, values decide on which node a statement runs.
 */
const toBegin = ({ isDistributed }: Database, { lockTimeoutMs }: BatchTransactOptions): string =>
  [
    'begin',
    ...(isDistributed ? [] : ['set local plan_cache_mode = force_generic_plan']),
    ...(lockTimeoutMs === undefined ? [] : [`set local lock_timeout = ${lockTimeoutMs}`]),
  ].join('; ');

/** Corks the stream, so that the begin and a statement in this turn of the event loop share one write. */
function begin(connection: PooledConnection, statement: string): Promise<unknown> {
  const { stream } = connection.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
  return connection.query(statement);
}

/** Runs statements on the connection until the transaction ends. */
function createStatements(database: Database, connection: PooledConnection) {
  let isOver = false;
  let made = 0;
  let sent = 0;
  let awaited = { sent: Number.POSITIVE_INFINITY, resolve() {} };
  /** Counts sent statements, because Knex sends a statement some turns after it was made. */
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
      // Code of a failed work may still run; its statements must not reach the connection's next transaction.
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

/** A connection that did not answer is closed: it would not answer a rollback either. */
async function rollback(connection: PooledConnection): Promise<void> {
  if (connection.__knex__disposed) return;
  try {
    await connection.query(ROLLBACK);
  } catch (error) {
    connection.__knex__disposed ??= error;
  }
}
