import type { Duplex } from 'node:stream';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { type FaultKind, faultKindOf, isQueryTimeout, isReadOnlyServer } from './faults.ts';
import { adaptToPooler, type Pooler } from './pooler.ts';

/** A pooled connection. The pool closes a connection with a fault here instead of reusing it. */
export type PooledConnection = pg.Client & {
  __knex__disposed?: unknown;
  connection: { stream: Duplex };
};

/** The handle that repositories query with: the pool of connections, or a transaction. */
export type Database = Knex & { readonly isDistributed?: boolean };

/** The part of a Database that runs text statements. A batch transaction has no more. */
export interface Sql {
  raw(text: string, bindings: readonly Knex.RawBinding[]): Knex.Raw;
  readonly isTransaction?: boolean | undefined;
  /** Tables are distributed by organization: each statement names one. */
  readonly isDistributed?: boolean | undefined;
}

export interface DatabaseOptions {
  url: string;
  /** Maximum number of connections. */
  poolSize: number;
  /** Maximum duration of a statement; 0: no limit. */
  statementTimeoutMs: number;
  applicationName: string;
  /** Server settings for these connections, by name. */
  session?: Record<string, string>;
  /** Where connections lead; default: to the server itself. */
  pooler?: Pooler;
  /** The tenants' tables are distributed by organization (Citus). */
  isDistributed?: boolean;
  /** Called when a connection ended without being closed here: after a failover, another server answers. */
  onConnectionLost?(): void;
  /** Called when a statement took too long, or got no connection. */
  onFault?(kind: FaultKind): void;
}

/** Number of connections of a pool, and of callers that wait for one. */
export interface PoolState {
  used: number;
  idle: number;
  waiting: number;
  max: number;
}

/**
 * When the server gives up a client that has stopped or vanished: between statements of a transaction, whose
 * locks end with it; during a statement; and when the client's machine does not answer.
 */
const VANISHED_CLIENT = {
  idle_in_transaction_session_timeout: '10s',
  client_connection_check_interval: '10s',
};
const VANISHED_MACHINE = {
  tcp_keepalives_idle: '30s',
  tcp_keepalives_interval: '10s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30s',
};
/** Keep-alive of clients towards the server. The time limit of its answer bounds a running statement. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };
/**
 * Statements read few rows, whatever the planner expects: parallel workers and compilation would take longer.
 */
const FEW_ROWS = { max_parallel_workers_per_gather: '0', jit: 'off' };
const INT8 = 20;
const ACQUIRE_TIMEOUT_MS = 5_000;
/**
 * The server ends slow statements itself; a server that vanished without closing the connection is given up
 * later.
 */
const ANSWER_TIMEOUT_FACTOR = 1.5;

/** bigint as number, because no count here exceeds the safe integers. */
const types = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function openDatabase({
  url,
  poolSize,
  statementTimeoutMs,
  applicationName,
  session = {},
  pooler = 'none',
  isDistributed = false,
  onConnectionLost = () => {},
  onFault = () => {},
}: DatabaseOptions): Database {
  const connections = new Map<string, PooledConnection>();
  const ofTransactions = { ...VANISHED_CLIENT, statement_timeout: String(statementTimeoutMs) };
  const ofStatements = isDistributed ? byValues(session) : session;
  const ofConnection = { ...FEW_ROWS, ...VANISHED_CLIENT, ...VANISHED_MACHINE, ...ofStatements };
  function remember(connection: PooledConnection & { __knexUid: string }, done: () => void): void {
    connections.set(connection.__knexUid, connection);
    connection.once('end', () => connections.delete(connection.__knexUid));
    connection.once('error', onConnectionLost);
    if (pooler !== 'none') adaptToPooler(connection, { pooler, ofTransactions, ofStatements });
    done();
  }
  const pool = knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      query_timeout: statementTimeoutMs * ANSWER_TIMEOUT_FACTOR,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      ...KEEP_ALIVE,
      // Sends independent statements of a transaction together.
      pipeline: true,
      ...(pooler === 'none' && { statement_timeout: statementTimeoutMs, options: toOptions(ofConnection) }),
      types,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, afterCreate: remember, validate: isIdle },
    acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
    // Knex would print errors that callers get anyway, and the reasons of closed idle connections.
    log: { warn() {} },
  });
  pool.on('query-error', (error: Error, { __knexUid }: { __knexUid: string }) => {
    const kind = faultKindOf(error);
    if (kind !== null) onFault(kind);
    const connection = connections.get(__knexUid);
    // A connection that did not answer would block its next user as well.
    if (connection && isQueryTimeout(error)) connection.__knex__disposed ??= error;
    // The server was demoted, or is not promoted yet, so all connections to it are useless.
    if (isReadOnlyServer(error)) for (const each of connections.values()) each.__knex__disposed ??= error;
  });
  pool.client.pool.on('acquireFail', () => onFault('no_connection'));
  return Object.assign(pool, { isDistributed });
}

/** Values of a statement decide on which node it runs, so it cannot be planned without them. */
const byValues = ({ plan_cache_mode: _, ...session }: Record<string, string>): Record<string, string> =>
  session;

/**
 * False if the transaction has not ended because the server did not answer: the connection is then closed,
 * not reused.
 */
const isIdle = (connection: PooledConnection): boolean => connection.getTransactionStatus() === 'I';

const toOptions = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Null after the end of the pool. */
export function readPool(database: Database): PoolState | null {
  const { pool } = database.client;
  if (!pool) return null;
  return { used: pool.numUsed(), idle: pool.numFree(), waiting: pool.numPendingAcquires(), max: pool.max };
}

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
