/** The service's log: JSON lines, without secrets. */
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { withoutStatement } from './errors.ts';

export type Log = Logger;

const SECRET_PATHS = ['authorization', 'secret', 'token', 'apiKey', 'password', 'body'];

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRET_PATHS.flatMap((path) => [path, `*.${path}`, `*.*.${path}`]),
      censor: '[removed]',
    },
    serializers: { err: describeError },
    hooks: { logMethod: withSafeMessage },
  };
  return pino(options, destination ?? standardOutput());
}

/** A process whose terminal was closed still stops in order: Pino drops lines that nobody reads, but for a broken pipe alone. */
function standardOutput(): DestinationStream {
  const output = pino.destination(1);
  output.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EIO') error.code = 'EPIPE';
  });
  return output;
}

/** Logs named fields only, because a database error also carries the statement's row and values. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  const reason = withoutStatement(message);
  return {
    name,
    message: reason,
    ...code,
    stack: stack?.replace(message, () => reason),
    ...(cause != null && { cause: describeError(cause) }),
  };
}

/** For an entry without a message, Pino uses the raw message of its error, which may contain a statement. */
function withSafeMessage(this: Log, args: Parameters<LogFn>, write: LogFn): void {
  const [fields, text] = args as [unknown, string?];
  const error = (fields as { err?: unknown } | null)?.err;
  if (text !== undefined || !(error instanceof Error)) write.apply(this, args);
  else write.call(this, fields, withoutStatement(error.message));
}
