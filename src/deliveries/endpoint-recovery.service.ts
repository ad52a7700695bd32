/**
 * Activities of `workflows/deliver-webhooks.ts`. Each starts from the current rows, so it can be repeated.
 */
import type { BreakerRepository } from '../endpoints/breaker.repository.ts';
import type { EndpointRef, RequestTarget } from '../endpoints/endpoint.ts';
import type { EndpointHealthRepository, RecoveryStateRow } from '../endpoints/endpoint-health.repository.ts';
import type { Log } from '../process/log.ts';
import type { Attempts } from './attempts.service.ts';
import type { BacklogRepository } from './backlog.repository.ts';
import type { ClaimedDelivery, ClaimsRepository } from './claims.repository.ts';
import {
  type DrainProgress,
  type NextStep,
  nextPace,
  nextStep,
  RETRY_AHEAD_MS,
  type RecoveryView,
  type Requests,
  startPace,
} from './endpoint-recovery.ts';

export interface EndpointRecoveryDeps {
  claims: ClaimsRepository;
  backlog: Pick<BacklogRepository, 'queueReplay'>;
  endpoints: Pick<EndpointHealthRepository, 'findRecoveryState' | 'planWorkflow' | 'clearWorkflow'>;
  breakers: Pick<
    BreakerRepository,
    'beginDrain' | 'drainIfClosed' | 'findRecoveredAt' | 'endDrain' | 'close'
  >;
  attempts: Attempts;
  perEndpointMax: number;
  leaseSeconds: number;
  /** Requests per second that a drain never exceeds. */
  drainPerSecondMax: number;
  /** Length of one tick of a drain: a second, shorter in tests. */
  drainTickMs: number;
  /** Makes the dispatcher check the endpoint again. */
  wake(endpoint: EndpointRef): Promise<void>;
  /** Whether the process is stopping: then nothing more starts, and claims are released. */
  isStopping(): boolean;
  log: Log;
}

const DRAIN_TICKS = 10;
/** After this many, a drain that waits for a slow receiver ends, so that its step stays far below its time limit. */
const DRAIN_SPAN_TICKS = 20;
/**
 * After this many ticks, a drain sends no more of its claims, so a slow receiver cannot make it outlive its
 * lease.
 */
const STALE_TICKS = 2;
/**
 * How long one step of the run sends retries, if there are enough; each step costs events of the run's
 * history.
 */
const RETRY_ROUND_MS = 20_000;
/** Pause between two claims of retries, so that retries due at about the same time are claimed together. */
const RETRY_PAUSE_MS = { min: 100, max: 1_000 };

interface SendOutcome extends Requests {
  /** False when the breaker has opened or the endpoint was disabled. */
  mayContinue: boolean;
  /** When the last request began, since the first one could. */
  lastBegunMs: number;
}

export function createEndpointRecoveryService(deps: EndpointRecoveryDeps) {
  const { claims, backlog, endpoints, breakers, attempts, perEndpointMax, leaseSeconds, drainTickMs } = deps;

  /** Sends in order, `perEndpointMax` at a time, until nothing more may be sent; releases the rest. */
  async function sendAll(
    claimed: ClaimedDelivery[],
    { spacingMs, notAfterMs }: { spacingMs: number; notAfterMs: number },
  ): Promise<SendOutcome> {
    const left = [...claimed];
    const outcome: SendOutcome = { sent: 0, failed: 0, mayContinue: true, lastBegunMs: 0 };
    let begun = 0;
    const startedAt = performance.now();
    const spentMs = () => performance.now() - startedAt;
    const isOver = () => !outcome.mayContinue || deps.isStopping();
    async function sendInTurn(): Promise<void> {
      while (left.length > 0 && !isOver() && spentMs() < notAfterMs) {
        const dueInMs = begun++ * spacingMs - spentMs();
        if (dueInMs > 0) await delay(dueInMs);
        const claim = isOver() ? undefined : left.shift();
        if (!claim) return;
        outcome.lastBegunMs = spentMs();
        const { result, recorded } = await attempts.attempt(claim);
        outcome.sent++;
        if (result.verdict !== 'delivered' && result.verdict !== 'blocked') outcome.failed++;
        if (!(await recorded)) outcome.mayContinue = false;
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(perEndpointMax, claimed.length) }, sendInTurn));
    } finally {
      await claims.release(left.splice(0));
    }
    return outcome;
  }

  async function beginDrain(probed: RequestTarget): Promise<void> {
    const { endpointId } = probed;
    if (await breakers.beginDrain(probed)) deps.log.info({ endpointId }, 'webhook.breaker_half_open');
  }

  /** A success while the breaker is open shows that the receiver is back, as that of a probe does. */
  async function resend(claim: ClaimedDelivery): Promise<void> {
    const { result, recorded } = await attempts.attempt(claim);
    await recorded;
    if (result.verdict === 'delivered') await beginDrain(claim);
  }

  async function onClosed(endpoint: EndpointRef, isClosed: boolean): Promise<void> {
    if (isClosed) deps.log.info({ endpointId: endpoint.endpointId }, 'webhook.breaker_closed');
    await deps.wake(endpoint);
  }

  /**
   * Stores when the run checks the endpoint next, so that recorded failures need not wake it. Then reads the
   * state again, to find failures that were recorded before this was visible.
   */
  async function plan(endpoint: EndpointRef, state: RecoveryStateRow): Promise<NextStep | null> {
    const next = nextStep(state, state.now);
    if (next.kind === 'end') await endpoints.clearWorkflow(endpoint);
    else await endpoints.planWorkflow(endpoint, next.kind === 'wait' ? new Date(next.until) : null);
    if (next.kind !== 'end' && next.kind !== 'wait') return next;
    const seen = await endpoints.findRecoveryState(endpoint);
    return seen && isSame(nextStep(seen, seen.now), next) ? next : null;
  }

  return {
    /** Null when the endpoint was deleted. */
    async getEndpointState(endpoint: EndpointRef): Promise<RecoveryView | null> {
      for (;;) {
        const state = await endpoints.findRecoveryState(endpoint);
        if (!state) return null;
        const next = await plan(endpoint, state);
        if (next) return toView(state, next);
      }
    },

    /** Sends every delivery that a customer asked to resend, even if another one fails. */
    async sendImmediate(endpoint: EndpointRef): Promise<void> {
      const claimed = await claims.claimImmediate(endpoint, perEndpointMax, leaseSeconds);
      if (claimed.length === 0) await delay(drainTickMs);
      await Promise.all(claimed.map(resend));
    },

    /**
     * Continues while the next retry is due within seconds. A failure waits for its own retry and delays no
     * other.
     */
    async sendRetries(endpoint: EndpointRef): Promise<void> {
      const endsAt = performance.now() + RETRY_ROUND_MS;
      while (performance.now() < endsAt && !deps.isStopping()) {
        const claimed = await claims.claimDue(endpoint, perEndpointMax, leaseSeconds);
        const { mayContinue } = await sendAll(claimed, {
          spacingMs: 0,
          notAfterMs: Number.POSITIVE_INFINITY,
        });
        if (!mayContinue) return;
        if (claimed.length === perEndpointMax) continue;
        const waitMs = await claims.findMsUntilRetry(endpoint);
        if (waitMs === null || waitMs > RETRY_AHEAD_MS) return;
        await delay(Math.min(Math.max(waitMs, RETRY_PAUSE_MS.min), RETRY_PAUSE_MS.max));
      }
    },

    /** Sends one delivery; its success starts the drain. */
    async probeEndpoint(endpoint: EndpointRef): Promise<void> {
      const [claim] = await claims.claimProbe(endpoint, leaseSeconds);
      if (!claim) {
        // All deliveries are locked or not queued yet.
        if (!(await backlog.queueReplay(endpoint))) await delay(drainTickMs);
        return;
      }
      const { result, recorded } = await attempts.attempt(claim);
      await recorded;
      if (result.verdict === 'delivered' || result.verdict === 'blocked') await beginDrain(claim);
    },

    /**
     * Runs some ticks of the drain. Closes the breaker when the drain has caught up: a claim got less than it
     * asked for, and has sent it within a tick. How long the receiver takes to answer does not count, because a
     * slow one would never be caught up with.
     */
    async drainBacklog(endpoint: EndpointRef, firstPace: number): Promise<DrainProgress> {
      let drain = startPace(firstPace);
      let sent = 0;
      await breakers.drainIfClosed(endpoint);
      const endsAt = performance.now() + DRAIN_SPAN_TICKS * drainTickMs;
      for (let tick = 0; tick < DRAIN_TICKS && performance.now() < endsAt && !deps.isStopping(); tick++) {
        const startedAt = performance.now();
        const restMs = () => startedAt + drainTickMs - performance.now();
        const limit = Math.floor(drain.pace);
        const recoveredAt = await breakers.findRecoveredAt(endpoint);
        const claimed = await claims.claimBacklog(endpoint, limit, leaseSeconds);
        const outcome = await sendAll(claimed, {
          spacingMs: drainTickMs / limit,
          notAfterMs: drainTickMs * STALE_TICKS,
        });
        sent += outcome.sent;
        if (!outcome.mayContinue) break;
        const isBehind = claimed.length === limit || outcome.sent < claimed.length;
        const hasMore = isBehind || (await backlog.queueReplay(endpoint));
        if (!hasMore && outcome.lastBegunMs < drainTickMs) {
          await onClosed(endpoint, await breakers.endDrain(endpoint, recoveredAt));
          break;
        }
        await delay(Math.max(0, restMs()));
        drain = nextPace(drain, outcome, deps.drainPerSecondMax);
      }
      return { pace: drain.pace, sent };
    },

    async closeBreaker(endpoint: EndpointRef): Promise<void> {
      await onClosed(endpoint, await breakers.close(endpoint));
    },
  };
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const isSame = (one: NextStep, other: NextStep): boolean =>
  one.kind === other.kind && (one.kind !== 'wait' || other.kind !== 'wait' || one.until === other.until);

function toView(state: RecoveryStateRow, next: NextStep): RecoveryView {
  const { organizationName, status, disabledReason, breaker, host, lastError, pending, retrying } = state;
  const failingSince = state.failingSince?.toISOString() ?? null;
  return {
    organizationName,
    status,
    disabledReason,
    breaker,
    host,
    failingSince,
    lastError,
    pending,
    retrying,
    next,
  };
}
