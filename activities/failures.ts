import { ApplicationFailure } from '@temporalio/activity';
import { isBadData } from '../src/db/faults.ts';
import { AppError, type ErrorKind } from '../src/process/errors.ts';

/** The same call may succeed later. */
const TEMPORARY: readonly ErrorKind[] = ['rate_limited', 'unavailable'];
const DEFECTS = [TypeError, RangeError, ReferenceError];

/**
 * An error that no repetition cures ends the step, and the run with it, so that the list of failed runs shows its
 * reason. All others are repeated.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof AppError && !TEMPORARY.includes(error.kind))
    return ApplicationFailure.create({ message: error.message, type: 'Refused', nonRetryable: true });
  if (!isDefect(error)) return error;
  const { name, message } = error as Error;
  return ApplicationFailure.create({
    message: `${name}: ${message}`,
    type: 'Defect',
    nonRetryable: true,
    cause: error as Error,
  });
}

const isDefect = (error: unknown): boolean =>
  isBadData(error) || DEFECTS.some((each) => error instanceof each);
