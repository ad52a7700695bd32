/**
 * Whether a process takes in what reaches it. One that is up but refuses everything is not healthy, and stops its
 * heartbeat; one that nothing reaches cannot know, and goes on.
 */

/** So many contacts fail in a row for other reasons than a message that always fails. */
const FAILURES_MIN = 5;

export interface IntakeHealth {
  isHealthy(): boolean;
  /** Hands on what becomes of a contact. */
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
        failures++;
        throw error;
      }
    },
  };
}
