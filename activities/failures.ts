import { ApplicationFailure } from '@temporalio/activity';
import { isBadData } from '../src/db/faults.ts';
import { AppError, type ErrorKind, withoutStatement } from '../src/process/errors.ts';

/** The same call may succeed later. */
const TEMPORARY: readonly ErrorKind[] = ['rate_limited', 'unavailable'];
const DEFECTS = [TypeError, RangeError, ReferenceError];

/**
 * An error that no repetition cures ends the step, and the run with it, so that the list of failed runs shows its
 * reason. All others are repeated. Temporal gets no statement of the database, because its values may be secret.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof AppError && !TEMPORARY.includes(error.kind))
    return ApplicationFailure.create({ message: error.message, type: 'Refused', nonRetryable: true });
  if (isDefect(error)) return asFailure(error as Error, { type: 'Defect', nonRetryable: true });
  return isFromDatabase(error) ? asFailure(error, { type: 'Database', nonRetryable: false }) : error;
}

const isDefect = (error: unknown): boolean =>
  isBadData(error) || DEFECTS.some((each) => error instanceof each);

const isFromDatabase = (error: unknown): error is Error => error instanceof Error && 'severity' in error;

/** Keeps the frames of the stack. */
function asFailure(error: Error, options: { type: string; nonRetryable: boolean }): ApplicationFailure {
  const { name, message: whole, stack } = error;
  const message = `${name}: ${isFromDatabase(error) ? withoutStatement(whole) : whole}`;
  const frames = stack?.match(/^ +at .+$/gm) ?? [];
  return Object.assign(ApplicationFailure.create({ message, ...options }), {
    stack: [message, ...frames].join('\n'),
  });
}
