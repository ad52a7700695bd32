/**
 * Transactions of Knex, with effects after the commit and another attempt after a conflict, which Knex leaves
 * to its users. Frequent messages of devices have a kind of their own: see batch-transaction.ts.
 */
import type { Knex } from 'knex';
import type { Database, Sql } from './database.ts';
import { isRetryable } from './faults.ts';

/** The key or the person that a change is attributed to; `keyId` is null for those without a key. */
export interface Actor {
  keyId: string | null;
  name: string;
}

/** Everything done with `sql` commits together, or not at all. */
export interface InTransaction {
  readonly sql: Sql;
  /**
   * Runs the effect after the commit. Only for speed, as for signals to other processes, because a crash may
   * lose it.
   */
  afterCommit(effect: () => void): void;
}

export interface Transaction extends InTransaction {
  readonly sql: Database;
  /** The caller of the operation; absent when the service itself runs the transaction. */
  readonly actor?: Actor;
  /** The operationId; absent like the caller. */
  readonly action?: string;
}

/** Runs the work in a transaction of that kind. */
export type TransactWith<Tx> = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** A caller that already has a transaction passes a `Transact` that joins it. */
export type Transact = TransactWith<Transaction>;

export interface TransactOptions {
  /** Called when the work conflicted with another transaction, and runs again. */
  onRetry?: (() => void) | undefined;
  /** Maximum wait for a lock. Default: as long as the statement may take. */
  lockTimeoutMs?: number;
}

/** After a deadlock or serialization failure the work runs again, so it must have no effects except through `sql`. */
export const createTransact =
  (database: Database, { onRetry, lockTimeoutMs }: TransactOptions = {}): Transact =>
  (work) => {
    async function limited(tx: Transaction) {
      if (lockTimeoutMs !== undefined) await tx.sql.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      return work(tx);
    }
    return repeatAfterConflict(() => runWithin(database, limited, (effect) => effect()), onRetry);
  };

/**
 * Joins the given transaction under a savepoint: a failed work is rolled back alone, and the transaction
 * continues.
 */
export const joinTransaction =
  ({ sql, afterCommit, ...caller }: Transaction): Transact =>
  (work) =>
    runWithin(sql, (tx) => work({ ...tx, ...caller }), afterCommit);

/** Attributes all that runs in the transactions to the actor and the operation. */
export const transactAs =
  (by: { actor: Actor; action: string }, transact: Transact): Transact =>
  (work) =>
    transact((tx) => work({ ...tx, ...by }));

const ATTEMPTS = 4;

export async function repeatAfterConflict<T>(run: () => Promise<T>, onRetry = () => {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      onRetry();
    }
  }
}

/** Runs in a new transaction, or in the given one under a savepoint. */
async function runWithin<T>(
  outer: Database,
  work: (tx: Transaction) => Promise<T>,
  afterCommit: Transaction['afterCommit'],
): Promise<T> {
  const effects: Array<() => void> = [];
  let fault: unknown = null;
  async function run(trx: Knex.Transaction): Promise<T> {
    let hasFailed = false;
    trx.on('query-error', () => {
      hasFailed = true;
    });
    const sql = Object.assign(trx, { isDistributed: outer.isDistributed ?? false });
    const done = await work({ sql, afterCommit: (effect) => void effects.push(effect) }).catch((error) => {
      fault = error;
      throw error;
    });
    // If the work went on after a failed statement, PostgreSQL would undo everything at the commit, and Knex
    // would not notice: this statement fails instead.
    if (hasFailed) await trx.raw('select');
    return done;
  }
  const result = await outer.transaction(run).catch((error) => {
    // After a lost connection, Knex fails with the error of the rollback; the first one is more useful.
    throw fault ?? error;
  });
  for (const effect of effects) afterCommit(effect);
  return result;
}
