/**
 * One attempt from claim to record, the same for the dispatcher and for the workflow of an endpoint in trouble. The
 * outcome is durable before anything follows from it; results of many attempts are recorded in one statement.
 */
import { createGroupCommit } from '../db/group-commit.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { EndpointHealthRepository, LastAttempt } from '../endpoints/endpoint-health.repository.ts';
import {
  type EndpointHealth,
  HEALTHY,
  observed,
  opensBreaker,
  type ProbePlan,
  probeWaitMs,
} from '../endpoints/endpoint-health.ts';
import type { SecretBox } from '../endpoints/secret-box.ts';
import type { Log } from '../process/log.ts';
import type { ClaimedDelivery, ClaimsRepository, RecordedAttempt } from './claims.repository.ts';
import type { DeliveriesRepository } from './deliveries.repository.ts';
import { type AttemptResult, nextAttempt } from './delivery.ts';
import { createKeyedSemaphore } from './keyed-semaphore.ts';
import type { OutgoingRequest } from './sender.service.ts';

export interface AttemptsDeps {
  claims: Pick<ClaimsRepository, 'record'>;
  deliveries: Pick<DeliveriesRepository, 'moveQueued'>;
  endpoints: EndpointHealthRepository;
  secretBox: SecretBox;
  send(outgoing: OutgoingRequest): Promise<AttemptResult>;
  /** Requests in flight to one endpoint, whoever makes them. */
  perEndpointMax: number;
  schedule: readonly number[];
  probePlan: ProbePlan;
  /** All attempts failing for this long disable the endpoint. */
  disableAfterMs: number;
  now(): Date;
  random(): number;
  /** An endpoint needs its workflow. */
  notifyRecovery(endpoint: EndpointRef): void;
  observe(result: AttemptResult): void;
  log: Log;
}

export interface Attempted {
  result: AttemptResult;
  /** Recorded, and what follows is done. Fails only when it could not be recorded: the lease brings the delivery back. */
  settled: Promise<void>;
}

export interface Attempts {
  /** Resolves with the receiver's answer; the caller may send the next one while this is being recorded. */
  attempt(claim: ClaimedDelivery): Promise<Attempted>;
  flush(): Promise<void>;
}

const UNSIGNED: AttemptResult = {
  verdict: 'retry',
  statusCode: null,
  error: 'the signing secret cannot be opened',
  responseExcerpt: null,
  durationMs: 0,
  retryAfterMs: null,
};

const RECORDED_AT_ONCE = 500;
const GATHER = { enough: 100, ms: 20 };
const NOTED_EVERY_MS = 200;

export function createAttempts(deps: AttemptsDeps): Attempts {
  const { claims, deliveries, endpoints, now } = deps;
  const places = createKeyedSemaphore(deps.perEndpointMax);
  const health = new Map<string, EndpointHealth>();
  const records = createGroupCommit<RecordedAttempt, void>({
    commit: async (attempts) => {
      await claims.record(attempts);
      return attempts.map(() => undefined);
    },
    maxItems: RECORDED_AT_ONCE,
    // Nobody waits for it before the next request, so larger batches win over sooner ones.
    concurrency: 1,
    gather: GATHER,
  });

  // The row of an endpoint that does well is written a few times a second, not once per delivery.
  const noted = new Map<string, LastAttempt>();
  let noting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  function note(attempt: LastAttempt): void {
    noted.set(attempt.endpointId, attempt);
    timer ??= setTimeout(() => void writeNotes(), NOTED_EVERY_MS);
  }

  async function writeNotes(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    await noting;
    const batch = [...noted.values()].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
    noted.clear();
    noting = endpoints
      .recordLastAttempts(batch)
      .catch((err) => deps.log.warn({ err }, 'last delivery outcomes not noted'));
    await noting;
  }

  /** Null when one cannot be opened: its key is not among the settings. Nothing goes out unsigned. */
  function secretsOf(claim: ClaimedDelivery): string[] | null {
    const owner = { organizationId: claim.organizationId, rowId: claim.endpointId };
    const sealed = [claim.secret, claim.previousSecret].filter((secret) => secret !== null);
    try {
      return sealed.map((secret) => deps.secretBox.open(secret, owner));
    } catch (err) {
      deps.log.error({ err, endpointId: claim.endpointId }, 'a signing secret cannot be opened');
      return null;
    }
  }

  async function settle(
    claim: ClaimedDelivery,
    result: AttemptResult,
    recorded: RecordedAttempt,
  ): Promise<void> {
    await records.submit(recorded);
    await updateEndpointHealth(claim, result, {
      endpointId: claim.endpointId,
      at: recorded.at,
      status: recorded.state as LastAttempt['status'],
      statusCode: result.statusCode,
      error: result.error,
    });
  }

  async function updateEndpointHealth(
    claim: ClaimedDelivery,
    result: AttemptResult,
    last: LastAttempt,
  ): Promise<void> {
    const { endpointId: id, organizationId } = claim;
    const before = health.get(id) ?? HEALTHY;
    const after = observed(before, result, last.at.getTime());
    health.set(id, after);
    if (result.verdict === 'delivered' || result.verdict === 'blocked') return note(last);
    await endpoints.recordLastAttempts([last]);
    if (result.verdict === 'gone') return disable(id, 'gone');
    const standing = await endpoints.findState(id);
    if (!standing) return;
    const { failingSince, breaker } = standing;
    const failingForMs = failingSince ? last.at.getTime() - failingSince.getTime() : 0;
    if (failingForMs >= deps.disableAfterMs) return disable(id, 'failing');
    const isOutage = opensBreaker(after, result.verdict);
    // A probe or a drain that fails opens again, whatever this process has counted.
    if (isOutage || breaker !== 'closed') {
      const waitMs = probeWaitMs(failingForMs, result.retryAfterMs, deps.probePlan);
      const nextProbeAt = new Date(now().getTime() + waitMs);
      if (await endpoints.open(id, { nextProbeAt, isOutage })) {
        deps.log.warn({ endpointId: id, error: result.error }, 'webhook.breaker_opened');
      }
    }
    deps.notifyRecovery({ organizationId, endpointId: id });
  }

  async function disable(id: string, reason: 'failing' | 'gone'): Promise<void> {
    if (!(await endpoints.disable(id, reason))) return;
    health.delete(id);
    await deliveries.moveQueued(id, ['pending', 'retrying'], 'held');
    deps.log.warn({ endpointId: id, reason }, 'webhook.disabled');
  }

  return {
    async attempt(claim) {
      const { url, eventId, body } = claim;
      const { at, result } = await places.run(claim.endpointId, async () => {
        const startedAt = now();
        const secrets = secretsOf(claim);
        return {
          at: startedAt,
          result: secrets ? await deps.send({ url, eventId, body, secrets }) : UNSIGNED,
        };
      });
      deps.observe(result);
      const recorded = recordOf(claim, result, {
        at,
        endedAt: now(),
        schedule: deps.schedule,
        random: deps.random,
      });
      return { result, settled: settle(claim, result, recorded) };
    },
    async flush() {
      await writeNotes();
    },
  };
}

/** An attempt that came before its time (a probe, a drain) does not use up a step of the schedule. */
function recordOf(
  claim: ClaimedDelivery,
  result: AttemptResult,
  {
    at,
    endedAt,
    schedule,
    random,
  }: { at: Date; endedAt: Date; schedule: readonly number[]; random(): number },
): RecordedAttempt {
  const base = {
    organizationId: claim.organizationId,
    endpointId: claim.endpointId,
    deliveryId: claim.id,
    number: claim.attemptCount + 1,
    at,
    durationMs: result.durationMs,
    statusCode: result.statusCode,
    error: result.error,
    responseExcerpt: result.responseExcerpt,
  };
  if (result.verdict === 'delivered' || result.verdict === 'blocked') {
    return { ...base, state: result.verdict, scheduleStep: claim.scheduleStep, nextAttemptAt: null };
  }
  if (result.verdict === 'gone') {
    return { ...base, state: 'failed', scheduleStep: claim.scheduleStep, nextAttemptAt: null };
  }
  const isDue = claim.nextAttemptAt === null || claim.nextAttemptAt <= at;
  if (!isDue) {
    const askedAt = new Date(endedAt.getTime() + (result.retryAfterMs ?? 0));
    const nextAttemptAt = askedAt > (claim.nextAttemptAt as Date) ? askedAt : claim.nextAttemptAt;
    return { ...base, state: 'retrying', scheduleStep: claim.scheduleStep, nextAttemptAt };
  }
  const scheduleStep = claim.scheduleStep + 1;
  const next = nextAttempt(scheduleStep, result.retryAfterMs, schedule, random);
  const nextAttemptAt = next.state === 'failed' ? null : new Date(endedAt.getTime() + next.waitMs);
  return { ...base, state: next.state, scheduleStep, nextAttemptAt };
}
