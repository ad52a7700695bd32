/**
 * The effect of an attempt on its endpoint: it is recorded as the last one, and the endpoint stays healthy, its breaker
 * opens, or it is disabled.
 */
import { createBoundedCache } from '../process/bounded-cache.ts';
import type { Log } from '../process/log.ts';
import type { BreakerDecision, BreakerRepository } from './breaker.repository.ts';
import type { DisableEndpoint } from './disable-endpoint.service.ts';
import { addCounts, type EndpointRef, endpointKey, type RequestTarget } from './endpoint.ts';
import type { ActiveState, EndpointHealthRepository, LastAttempt } from './endpoint-health.repository.ts';
import {
  type EndpointHealth,
  HEALTHY,
  opensBreaker,
  type ProbePlan,
  probeWaitMs,
  sinceRecovery,
  type Verdict,
  withAttempt,
} from './endpoint-health.ts';

interface EndpointHealthServiceDeps {
  endpoints: Pick<EndpointHealthRepository, 'findActiveState'>;
  breakers: Pick<BreakerRepository, 'open'> & { disable: DisableEndpoint };
  lastAttempts: Pick<LastAttempts, 'add' | 'record'>;
  probePlan: ProbePlan;
  /** The endpoint is disabled when all attempts have failed for this long. */
  disableAfterMs: number;
  now(): Date;
  /** Called when the endpoint needs its workflow at that time. */
  notifyRecovery(endpoint: EndpointRef, dueAt: Date): void;
  log: Log;
}

interface AttemptOutcome {
  verdict: Verdict;
  /** From the receiver's Retry-After header. */
  retryAfterMs: number | null;
  /** Next attempt of the delivery; null when there is none. */
  nextAttemptAt: Date | null;
}

export type EndpointHealthService = ReturnType<typeof createEndpointHealthService>;

/** Bounds the counted endpoints; the least recently used ones start over. */
const COUNTED_ENDPOINTS_MAX = 10_000;

export function createEndpointHealthService(deps: EndpointHealthServiceDeps) {
  const { endpoints, breakers, lastAttempts, log } = deps;
  const healthByTarget = createBoundedCache<string, EndpointHealth>(COUNTED_ENDPOINTS_MAX);

  return {
    /**
     * To be called once for each attempt, after its outcome was recorded. Returns false when sending to the
     * endpoint must stop: its breaker is open, it is disabled, or it has another URL, whose failures count anew.
     */
    async update(attempt: LastAttempt, outcome: AttemptOutcome): Promise<boolean> {
      const health = count(attempt, outcome, healthOf(attempt));
      // No breaker slows attempts that are blocked, so they are gathered as those that succeed.
      const isGathered = outcome.verdict === 'delivered' || outcome.verdict === 'blocked';
      await (isGathered ? lastAttempts.add(attempt) : lastAttempts.record(attempt));
      if (outcome.verdict === 'delivered') return true;
      const state = await endpoints.findActiveState(attempt);
      if (!state) return false;
      return handleFailure(attempt, outcome, { ...state, health });
    },
  };

  function healthOf(target: RequestTarget): EndpointHealth {
    return healthByTarget.get(targetKey(target)) ?? HEALTHY;
  }

  function count(attempt: LastAttempt, outcome: AttemptOutcome, before: EndpointHealth): EndpointHealth {
    const health = withAttempt(before, outcome, attempt.attemptedAt.getTime());
    healthByTarget.set(targetKey(attempt), health);
    return health;
  }

  async function handleFailure(
    attempt: LastAttempt,
    outcome: AttemptOutcome,
    { breaker, failingSince, recoveredAt, health }: ActiveState & { health: EndpointHealth },
  ): Promise<boolean> {
    if (outcome.verdict === 'gone') return disable(attempt, 'gone');
    const failingForMs = failingSince ? attempt.attemptedAt.getTime() - failingSince.getTime() : 0;
    if (failingForMs >= deps.disableAfterMs) return disable(attempt, 'failing');
    // It is final for its delivery, so no breaker waits for the address to be allowed.
    if (outcome.verdict === 'blocked') return true;
    const recoveredAtMs = recoveredAt?.getTime() ?? null;
    const isCurrent = health.recoveredAtMs === recoveredAtMs;
    const current = isCurrent
      ? health
      : count(attempt, outcome, sinceRecovery(healthOf(attempt), recoveredAtMs));
    const isOutage = opensBreaker(current, outcome.verdict);
    // A failed probe opens the breaker again, whatever this process has counted.
    if (isOutage || breaker === 'open') {
      const waitMs = probeWaitMs(failingForMs, outcome.retryAfterMs, deps.probePlan);
      await openBreaker(attempt, { waitMs, isOutage, recoveredAt, error: attempt.error });
      return false;
    }
    if (outcome.nextAttemptAt) deps.notifyRecovery(toRef(attempt), outcome.nextAttemptAt);
    return true;
  }

  async function openBreaker(
    target: RequestTarget,
    { waitMs, error, ...decision }: BreakerDecision & { waitMs: number; error: string | null },
  ): Promise<void> {
    const nextProbeAt = new Date(deps.now().getTime() + waitMs);
    if (await breakers.open(target, { nextProbeAt, ...decision }))
      log.warn({ endpointId: target.endpointId, error }, 'webhook.breaker_opened');
    deps.notifyRecovery(toRef(target), nextProbeAt);
  }

  async function disable(target: RequestTarget, reason: 'failing' | 'gone'): Promise<false> {
    healthByTarget.delete(targetKey(target));
    if (await breakers.disable(target, reason))
      log.warn({ endpointId: target.endpointId, reason }, 'webhook.disabled');
    return false;
  }
}

/** An endpoint with a new URL starts with no failures. */
const targetKey = (target: RequestTarget): string => `${endpointKey(target)} ${target.url}`;

const toRef = ({ organizationId, endpointId }: EndpointRef): EndpointRef => ({ organizationId, endpointId });

interface LastAttemptsDeps {
  recordLastAttempts(attempts: LastAttempt[]): Promise<void>;
  log: Log;
}

type LastAttempts = ReturnType<typeof createLastAttempts>;

/** From the first attempt after a pause to its write, so that it is shown soon. */
const GATHER_MS = 200;
/** From one write to the next. */
const INTERVAL_MS = 2_000;

/**
 * Collects the last attempts of endpoints, so that the rows of busy ones are written every other second, not once per
 * delivery. While a dump or another old snapshot is held, each write leaves a version of the row, which every claim and
 * every event for the endpoint reads.
 */
export function createLastAttempts({ recordLastAttempts, log }: LastAttemptsDeps) {
  const collected = new Map<string, LastAttempt>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;

  const write = (attempts: LastAttempt[]): Promise<void> =>
    recordLastAttempts(attempts).catch((err) =>
      log.warn({ err }, 'The last attempts of endpoints were not recorded'),
    );

  function writeCollected(): Promise<void> {
    // Statements that write several endpoints lock their rows in this order.
    const batch = [...collected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, attempt]) => attempt);
    collected.clear();
    return write(batch);
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(writeCollected);
    return writing;
  }

  function flushWhileBusy(): void {
    timer = null;
    if (collected.size === 0) return;
    void flush();
    timer = setTimeout(flushWhileBusy, INTERVAL_MS);
  }

  /** Writes the attempt now, after the collected ones of its endpoint, so that a success between two failures is not lost. */
  async function record(attempt: LastAttempt): Promise<void> {
    const key = endpointKey(attempt);
    const before = collected.get(key);
    collected.delete(key);
    if (before) writing = writing.then(() => write([before]));
    await writing;
    await recordLastAttempts([attempt]);
  }

  return {
    /** Collects the attempt, and waits for writes that have begun. Attempts of another outcome or URL are written apart. */
    async add(attempt: LastAttempt): Promise<void> {
      const key = endpointKey(attempt);
      const before = collected.get(key);
      if (before && (before.status !== attempt.status || before.url !== attempt.url)) return record(attempt);
      const counts = before ? addCounts(before.counts, attempt.counts) : attempt.counts;
      const newest = before && before.attemptedAt > attempt.attemptedAt ? before : attempt;
      collected.set(key, { ...newest, counts });
      timer ??= setTimeout(flushWhileBusy, GATHER_MS);
      await writing;
    },
    record,
    flush,
  };
}
