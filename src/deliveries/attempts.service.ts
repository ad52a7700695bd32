/**
 * One attempt, from the claim to the recorded outcome; used by the dispatcher and by the recovery of an
 * endpoint. Effects of an outcome begin after it is recorded; many outcomes are recorded in one statement.
 */
import { createGroupCommit, type GroupCommitObserver } from '../db/group-commit.ts';
import { countAttempt, endpointKey } from '../endpoints/endpoint.ts';
import type { LastAttempt } from '../endpoints/endpoint-health.repository.ts';
import type { EndpointHealthService } from '../endpoints/endpoint-health.service.ts';
import { openSecrets } from '../endpoints/endpoint-secret.ts';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { type KeyedSemaphore, NoTurn } from '../process/keyed-semaphore.ts';
import type { Log } from '../process/log.ts';
import type { AttemptsRepository } from './attempts.repository.ts';
import type { ClaimedDelivery } from './claims.repository.ts';
import { type AttemptResult, type RecordedAttempt, toRecordedAttempt } from './delivery.ts';
import type { OutgoingRequest } from './sender.service.ts';

export interface AttemptsDeps {
  recorder: AttemptsRepository;
  endpointHealth: EndpointHealthService;
  secretBox: SecretBox;
  send(outgoing: OutgoingRequest): Promise<AttemptResult>;
  /** Limits the requests in flight to one endpoint, of all callers in this process. */
  requests: KeyedSemaphore;
  /** Releases claims that were not attempted. */
  release(claims: ClaimedDelivery[]): Promise<void>;
  schedule: readonly number[];
  now(): Date;
  random(): number;
  observe(result: AttemptResult): void;
  /** Observes the group commit of outcomes. */
  observer?: GroupCommitObserver;
  log: Log;
}

interface Attempted {
  result: AttemptResult;
  /**
   * Resolves when the outcome is recorded and the health of the endpoint is updated; with false when sending
   * to the endpoint must stop. Rejects if either failed: the delivery is sent again when its lease has
   * expired.
   */
  recorded: Promise<boolean>;
}

export interface Attempts {
  /**
   * Resolves with the receiver's answer; the caller may send the next delivery while the outcome is being
   * recorded.
   * @throws NoTurn when the attempt could not begin; the claim is released unchanged.
   */
  attempt(claim: ClaimedDelivery): Promise<Attempted>;
}

const unsent = (error: string): AttemptResult => ({
  verdict: 'retry',
  statusCode: null,
  error,
  responseExcerpt: null,
  durationMs: 0,
  retryAfterMs: null,
});
const CANNOT_SIGN = unsent('the signing secret cannot be opened');
const CANNOT_SEND = unsent('the request cannot be made');

const RECORDED_PER_STATEMENT = 500;
const INTERVAL_MS = 20;

export function createAttempts(deps: AttemptsDeps): Attempts {
  const { recorder, endpointHealth, requests, now, schedule, random } = deps;
  const records = createGroupCommit<RecordedAttempt, void>({
    commit: async (attempts) => {
      await recorder.record(attempts);
      return attempts.map(() => undefined);
    },
    maxItems: RECORDED_PER_STATEMENT,
    observer: deps.observer,
    // Nothing waits for this write, so prefer larger batches to lower latency.
    concurrency: 1,
    intervalMs: INTERVAL_MS,
  });

  return {
    async attempt(claim) {
      const sending = requests.run(endpointKey(claim), () => send(claim));
      const { attemptedAt, result } = await sending.catch((error) => releaseUnattempted(claim, error));
      deps.observe(result);
      const plan = { attemptedAt, endedAt: now(), schedule, random };
      return { result, recorded: record(claim, toRecordedAttempt(claim, result, plan), result) };
    },
  };

  async function send(claim: ClaimedDelivery): Promise<{ attemptedAt: Date; result: AttemptResult }> {
    const attemptedAt = now();
    const secrets = tryOpenSecrets(claim);
    const result = secrets ? await trySend(claim, secrets) : CANNOT_SIGN;
    return { attemptedAt, result };
  }

  /** A delivery whose request cannot be built counts as a failed attempt, so that it is visible and ends. */
  async function trySend(claim: ClaimedDelivery, secrets: string[]): Promise<AttemptResult> {
    const { organizationId, endpointId, id, url, eventId, body, trace } = claim;
    try {
      return await deps.send({ organizationId, url, eventId, body, trace, secrets });
    } catch (err) {
      if (err instanceof NoTurn) throw err;
      deps.log.error({ err, endpointId, deliveryId: id }, 'The request of a delivery cannot be made');
      return CANNOT_SEND;
    }
  }

  async function releaseUnattempted(claim: ClaimedDelivery, error: unknown): Promise<never> {
    if (error instanceof NoTurn) await deps.release([claim]);
    throw error;
  }

  /** Null when the key of a secret is not configured: nothing is sent unsigned. */
  function tryOpenSecrets(claim: ClaimedDelivery): string[] | null {
    try {
      return openSecrets(deps.secretBox, claim, claim);
    } catch (err) {
      deps.log.error({ err, endpointId: claim.endpointId }, 'A signing secret cannot be opened');
      return null;
    }
  }

  async function record(
    { url }: ClaimedDelivery,
    attempt: RecordedAttempt,
    result: AttemptResult,
  ): Promise<boolean> {
    await records.submit(attempt);
    const { verdict, retryAfterMs } = result;
    const { nextAttemptAt } = attempt;
    return endpointHealth.update(toLastAttempt(url, attempt), { verdict, retryAfterMs, nextAttemptAt });
  }
}

function toLastAttempt(url: string, attempt: RecordedAttempt): LastAttempt {
  const { organizationId, endpointId, attemptedAt, durationMs, state, statusCode, error } = attempt;
  const counts = countAttempt(state, durationMs);
  return { organizationId, endpointId, url, attemptedAt, status: state, statusCode, error, counts };
}
