import { type Database, type DatabaseOptions, openDatabase } from './database.ts';

/** Each statement reads or writes one piece. */
const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * A small pool of its own for exports and files, which take long as a whole: however many there are, they never hold
 * the connections that other requests wait for.
 */
export const openTransferDatabase = (options: DatabaseOptions): Database =>
  openDatabase({
    ...options,
    statementTimeoutMs: Math.min(options.statementTimeoutMs || STATEMENT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS),
    applicationName: `${options.applicationName} transfers`,
    // Pieces of a transfer are read by the same statement, which would be planned for each of them.
    session: { ...options.session, plan_cache_mode: 'force_generic_plan' },
  });
