import { type Database, type DatabaseOptions, openDatabase } from './database.ts';

/** Each statement reads or writes one piece. */
const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * A small separate pool for exports and files, whose transfers take long: they never hold connections that
 * other requests wait for.
 */
export const openTransferDatabase = (options: DatabaseOptions): Database =>
  openDatabase({
    ...options,
    statementTimeoutMs: Math.min(options.statementTimeoutMs || STATEMENT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS),
    applicationName: `${options.applicationName} transfers`,
    // The same statement reads all pieces of a transfer, and would otherwise be planned for each of them.
    session: { ...options.session, plan_cache_mode: 'force_generic_plan' },
  });
