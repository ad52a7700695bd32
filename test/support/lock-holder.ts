/**
 * A process that runs a statement in a transaction, on a connection like those of the service, and then
 * hangs: `node … URL STATEMENT IDLE_TIMEOUT`.
 */
import { openDatabase } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';

const [url = '', statement = '', idleTimeout = ''] = process.argv.slice(2);
const sql = openDatabase({
  url,
  poolSize: 1,
  statementTimeoutMs: 0,
  applicationName: 'lock holder',
  session: { idle_in_transaction_session_timeout: idleTimeout },
});

await createTransact(sql)(async (tx) => {
  await query(tx.sql, statement);
  process.stdout.write('locked\n');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
