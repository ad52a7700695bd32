/**
 * Whether a process hears devices: what reaches it is committed. One that is up but refuses everything does not, and
 * stops its heartbeat; one that nothing reaches cannot tell, and goes on.
 */

/** So many contacts fail in a row for other reasons than a message that always fails. */
const FAILURES_MIN = 5;

export interface IngressHearing {
  hears(): boolean;
  /** Hands on what becomes of a contact. */
  hear<Result>(contact: Promise<Result>): Promise<Result>;
}

export function createIngressHearing(): IngressHearing {
  let failures = 0;
  return {
    hears: () => failures < FAILURES_MIN,
    async hear(contact) {
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
