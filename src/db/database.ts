import knex, { type Knex } from 'knex';
import pg from 'pg';

/** The pool of connections. */
export type Database = Knex;

/** A handle that repositories query with: the pool, or the connection of one transaction. */
export interface Sql {
  raw(text: string, bindings: readonly Knex.RawBinding[]): Knex.Raw;
  readonly isTransaction?: boolean | undefined;
}

export interface DatabaseOptions {
  url: string;
  /** Connections at most. */
  poolSize: number;
  /** No statement runs longer; 0 = no limit. */
  statementTimeoutMs: number;
  applicationName: string;
  /** Settings of the server for these connections, by name. */
  session?: Record<string, string>;
}

const INT8 = 20;
const ACQUIRE_TIMEOUT_MS = 5_000;

/** Counts come back as numbers: none here can leave the safe integers. */
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
}: DatabaseOptions): Database {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      statement_timeout: statementTimeoutMs,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      keepAlive: true,
      options: Object.entries(session)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      types,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
    // It would print on the console what callers get as an error, and what an idle connection dies of.
    log: { warn() {} },
  });
}
