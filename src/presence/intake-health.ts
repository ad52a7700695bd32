/**
 * Whether a process accepts the messages that reach it. A process that is up but refuses everything is
 * unhealthy, and stops its heartbeat. A process that no message reaches cannot know, and keeps its heartbeat.
 */
import { AppError } from '../process/errors.ts';

/** This many failures in a row are more than a message that always fails can cause. */
const FAILURES_MIN = 5;

export interface IntakeHealth {
  isHealthy(): boolean;
  /** Passes the result of a contact on. */
  observeContact<Result>(contact: Promise<Result>): Promise<Result>;
}

export function createIntakeHealth(): IntakeHealth {
  let failures = 0;
  return {
    isHealthy: () => failures < FAILURES_MIN,
    async observeContact(contact) {
      try {
        const result = await contact;
        failures = 0;
        return result;
      } catch (error) {
        // A message that is answered, however it is refused, shows that the process works.
        if (!(error instanceof AppError)) failures++;
        throw error;
      }
    },
  };
}
