/** The meaning of database error codes for the service. Source: PostgreSQL manual, appendix A. */

interface DatabaseFault {
  code?: string;
  constraint?: string;
  name?: string;
  message?: string;
  syscall?: string;
}

const asFault = (error: unknown): DatabaseFault =>
  typeof error === 'object' && error !== null ? (error as DatabaseFault) : {};

const UNIQUE_VIOLATION = '23505';
const DEADLOCK_DETECTED = '40P01';
const SERIALIZATION_FAILURE = '40001';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const fault = asFault(error);
  return fault.code === UNIQUE_VIOLATION && fault.constraint === constraint;
}

/**
 * Works for partitioned tables: PostgreSQL reports the constraint of the partition, which begins with the
 * table's name.
 */
export function isUniqueViolationOf(error: unknown, table: string): boolean {
  const { code, constraint } = asFault(error);
  return code === UNIQUE_VIOLATION && (constraint?.startsWith(`${table}_`) ?? false);
}

export function isRetryable(error: unknown): boolean {
  const { code } = asFault(error);
  return code === DEADLOCK_DETECTED || code === SERIALIZATION_FAILURE;
}

/**
 * Another transaction changed the rows that this one read: it runs again, as after PostgreSQL's own
 * serialization failure.
 */
export const staleRead = (message: string): Error =>
  Object.assign(new Error(message), { code: SERIALIZATION_FAILURE });

const NO_CONNECTION_YET = '08001';

/** Something that only the database can tell is needed before it has answered: an outage like any other. */
export const neverConnected = (message: string): Error =>
  Object.assign(new Error(message), { code: NO_CONNECTION_YET });

const UNDEFINED_TABLE = '42P01';

export const isUndefinedTable = (error: unknown): boolean => asFault(error).code === UNDEFINED_TABLE;

const LOCK_NOT_AVAILABLE = '55P03';
const STATEMENT_TIMEOUT = '57014';
const CHECK_VIOLATION = '23514';

export const isLockTimeout = (error: unknown): boolean => asFault(error).code === LOCK_NOT_AVAILABLE;

export const isStatementTimeout = (error: unknown): boolean => asFault(error).code === STATEMENT_TIMEOUT;

/** No partition exists for a row. PostgreSQL reports it as a check violation without a constraint. */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = asFault(error);
  return code === CHECK_VIOLATION && constraint === undefined;
}

/** Class 42, such as an unknown column or a missing right. */
const SYNTAX_OR_ACCESS = /^42/;

/** The schema is not that of this release, a right is missing, or a partition: no row of the statement is at fault. */
export function isSchemaFault(error: unknown): boolean {
  const { code = '' } = asFault(error);
  return (typeof code === 'string' && SYNTAX_OR_ACCESS.test(code)) || isMissingPartition(error);
}

const NOT_NULL_VIOLATION = '23502';
/** Class 22, such as a number out of range or text that is no UUID. */
const DATA_EXCEPTION = /^22/;

/** The statement breaks a rule of the schema by its own values, so it fails however often it is repeated. */
export function isBadData(error: unknown): boolean {
  const { code = '' } = asFault(error);
  if (code === CHECK_VIOLATION) return !isMissingPartition(error);
  return code === NOT_NULL_VIOLATION || (typeof code === 'string' && DATA_EXCEPTION.test(code));
}

const READ_ONLY = '25006';

/** A standby, or a primary that was demoted. */
export const isReadOnlyServer = (error: unknown): boolean => asFault(error).code === READ_ONLY;

const SOCKET_FAULTS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
];
/**
 * Shutting down, starting up, statement timeout, lock timeout, idle in a transaction, too many connections,
 * disk or memory full, a read-only standby. Class 08 is the connection itself.
 */
const SERVER_FAULTS = [
  '57P01',
  '57P02',
  '57P03',
  '57014',
  '55P03',
  '25P03',
  '53300',
  '53100',
  '53200',
  READ_ONLY,
];
/** Some errors have a code that is not text, despite their type: gRPC uses numbers. */
const CONNECTION_FAULT = /^08/;
const POOL_FAULTS = ['KnexTimeoutError'];
/** The last one is Citus's message for a node lost in the middle of a transaction. */
const LOST_CONNECTION =
  /connection terminated|connection ended|not queryable|timeout expired|unable to acquire|failure on connection marked as essential/i;

/**
 * The server did not answer at all, not even with a statement timeout. Knex puts the statement before the
 * message.
 */
export const isQueryTimeout = (error: unknown): boolean =>
  asFault(error).message?.endsWith('Query read timeout') ?? false;

/** Faults that are counted. `retried`: a transaction conflicted with another one, and runs again. */
export const FAULT_KINDS = [
  'statement_timeout',
  'lock_timeout',
  'no_answer',
  'no_connection',
  'retried',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Kind of a statement's fault; null for any other fault. */
export function faultKindOf(error: unknown): FaultKind | null {
  if (isLockTimeout(error)) return 'lock_timeout';
  if (isQueryTimeout(error)) return 'no_answer';
  return isStatementTimeout(error) ? 'statement_timeout' : null;
}

/** The database cannot be reached or cannot serve at present; the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const { code = '', name = '', message = '' } = asFault(error);
  if (SOCKET_FAULTS.includes(code) || SERVER_FAULTS.includes(code) || CONNECTION_FAULT.test(code))
    return true;
  return POOL_FAULTS.includes(name) || LOST_CONNECTION.test(message) || isQueryTimeout(error);
}

/** Failing system call of a datagram to a logger, which no database connection uses. */
const UDP_SEND = 'send';
/** A part of SERVER_FAULTS: shutting down, starting up, too many connections, a read-only standby. */
const OUTAGE_CODES = ['57P01', '57P02', '57P03', '53300', '25006'];

/**
 * Whether the database as a whole is away: a slow statement, or a lock of another transaction, is no outage.
 */
export function isOutage(error: unknown): boolean {
  const { code = '', name = '', message = '', syscall } = asFault(error);
  if (syscall === UDP_SEND) return false;
  if (SOCKET_FAULTS.includes(code) || OUTAGE_CODES.includes(code) || CONNECTION_FAULT.test(code)) return true;
  return POOL_FAULTS.includes(name) || LOST_CONNECTION.test(message) || isQueryTimeout(error);
}
