/**
 * The number of rows that PostgreSQL has read of tables: a measure of its plans that a busy machine does not
 * change.
 */

/** Reads of a session are certainly counted once it has ended. */
export const END_OTHER_SESSIONS = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;

/** Columns of `pg_stat_user_tables`: by any index or none. */
export const ROWS_READ = 'sum(seq_tup_read + coalesce(idx_tup_fetch, 0))';
