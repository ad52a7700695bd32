/** The service's log: JSON lines, without anything secret. */
import { type DestinationStream, type Logger, pino } from 'pino';

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
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Named fields only: a database error also carries the statement's row and values. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return {
    name,
    message: withoutBindings(message),
    ...code,
    stack,
    ...(cause != null && { cause: describeError(cause) }),
  };
}

/** Knex puts the whole statement before the reason. */
const withoutBindings = (message: string) => message.split(' - ').at(-1) ?? message;
