/**
 * PgBouncer in transaction mode gives each transaction any free connection to the server. So nothing may be
 * set for a whole connection: settings are sent with each transaction, and statements are not prepared under
 * a name.
 */
import type pg from 'pg';

/**
 * `prepared`: the pooler tracks named statements itself, as PgBouncer does from 1.21 on with
 * max_prepared_statements.
 */
export type Pooler = 'none' | 'transaction' | 'prepared';

interface PooledSettings {
  pooler: Exclude<Pooler, 'none'>;
  /** Sent with every transaction. */
  ofTransactions: Record<string, string>;
  /** Also sent with single statements, which then become transactions of their own: two more round trips. */
  ofStatements: Record<string, string>;
}

interface Statement {
  text: string;
  name?: string | undefined;
}
type Callback = (error: unknown, result?: unknown) => void;
type Send = (statement: Statement | string) => Promise<unknown>;

/** Adapts the connection's traffic, so that callers need not know of the pooler. */
export function adaptToPooler(connection: pg.Client, settings: PooledSettings): void {
  const send = connection.query.bind(connection) as Send;
  const all = { ...settings.ofTransactions, ...settings.ofStatements };
  const isAloneFree = Object.keys(settings.ofStatements).length === 0;
  let isInTransaction = false;

  function run(statement: Statement | string): Promise<unknown> {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (/^begin\b/i.test(text)) {
      isInTransaction = true;
      return send(withSettings(text, all));
    }
    if (/^(commit|rollback)\s*;?$/i.test(text)) isInTransaction = false;
    const sent = settings.pooler === 'prepared' ? statement : withoutName(statement);
    return isInTransaction || isAloneFree ? send(sent) : runAlone(send, sent, all);
  }

  connection.query = ((statement: Statement | string, callback?: Callback) => {
    const result = run(statement);
    if (callback === undefined) return result;
    result.then((value) => callback(null, value), callback);
  }) as typeof connection.query;
}

const withSettings = (begin: string, settings: Record<string, string>): string =>
  [
    begin.replace(/;\s*$/, ''),
    ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`),
  ].join('; ');

const withoutName = (statement: Statement | string): Statement | string =>
  typeof statement === 'string' ? statement : { ...statement, name: undefined };

async function runAlone(
  send: Send,
  statement: Statement | string,
  settings: Record<string, string>,
): Promise<unknown> {
  await send(withSettings('begin', settings));
  try {
    const result = await send(statement);
    await send('commit');
    return result;
  } catch (error) {
    await send('rollback');
    throw error;
  }
}
