import type { Sql } from './database.ts';
import { isRetryable } from './faults.ts';

/** One unit of work: everything done with `sql` commits together; the effects run once that is certain. */
export interface Transaction {
  readonly sql: Sql;
  /** For what other processes learn of the change: never part of its truth, so a crash here loses only speed. */
  afterCommit(effect: () => void): void;
}

/** Runs the work in a transaction; a caller who already has one passes a `Transact` that joins it. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

const ATTEMPTS = 4;

/** A deadlock or a serialization fault rolls back whole, so the work runs again; it must have no effects but `sql`. */
export function createTransact(sql: Sql): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(sql, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  };
}

async function once<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const effects: Array<() => void> = [];
  const result = await sql.transaction((trx) =>
    work({ sql: trx, afterCommit: (effect) => void effects.push(effect) }),
  );
  for (const effect of effects) effect();
  return result;
}

/** Joins the given transaction under a savepoint: a failed work is undone alone, and what surrounds it goes on. */
export function joinTransaction(outer: Transaction): Transact {
  return async (work) => {
    const effects: Array<() => void> = [];
    const result = await outer.sql.transaction((trx) =>
      work({ sql: trx, afterCommit: (effect) => void effects.push(effect) }),
    );
    for (const effect of effects) outer.afterCommit(effect);
    return result;
  };
}
