/**
 * Sends new deliveries to healthy endpoints. Claims are leases that outlive any attempt. Each endpoint has
 * its own limit of requests in flight, so a slow one delays no other. The dispatcher does not search: it is
 * woken for endpoints with queued deliveries, by a notification or by polling.
 */
import type { EndpointRef } from '../endpoints/endpoint.ts';
import { createBackgroundTasks } from '../process/background-tasks.ts';
import { NoTurn } from '../process/keyed-semaphore.ts';
import type { Log } from '../process/log.ts';
import type { Attempts } from './attempts.service.ts';
import { type ClaimSpans, createClaimSpans } from './claim-spans.ts';
import type { ClaimedDelivery, ClaimsRepository, PendingEndpoint } from './claims.repository.ts';
import { PrefetchQueues } from './prefetch-queues.ts';

interface DispatcherDeps {
  claims: ClaimsRepository;
  attempts: Attempts;
  /** Requests in flight to one endpoint. */
  perEndpointMax: number;
  leaseSeconds: number;
  pollIntervalMs: number;
  log: Log;
}

export type Dispatcher = ReturnType<typeof startDispatcher>;

const FAULT_PAUSE_MS = 500;
/**
 * The age of the oldest claim that is sent: a change of its endpoint is known by then even if its
 * notification was lost.
 */
const MAX_CLAIM_AGE_MS = 5_000;
/** Leaves the rest of the lease for the attempt. */
const MAX_CLAIM_AGE_LEASE_SHARE = 0.5;

export function startDispatcher(deps: DispatcherDeps) {
  const { claims, attempts, perEndpointMax, leaseSeconds, log } = deps;
  const maxClaimAgeMs = Math.min(MAX_CLAIM_AGE_MS, leaseSeconds * 1000 * MAX_CLAIM_AGE_LEASE_SHARE);
  const queues = new PrefetchQueues<ClaimedDelivery>({ perEndpointMax, maxClaimAgeMs });
  const tasks = createBackgroundTasks((err) =>
    log.warn({ err }, 'A delivery was not recorded or released: it is sent when its lease has expired'),
  );
  let isStopping = false;
  const spans = createClaimSpans();
  const loop = startClaimLoop({ ...deps, spans }, queues, startRequests);

  /** Starts requests up to the endpoint's limit in flight. */
  function startRequests(endpoint: EndpointRef): void {
    if (queues.isStale(endpoint, performance.now())) invalidate(endpoint);
    while (!isStopping) {
      const claim = queues.next(endpoint);
      if (!claim) break;
      tasks.add(send(claim));
    }
    if (queues.needsRefill(endpoint)) loop.wakeUp();
  }

  async function send(claim: ClaimedDelivery): Promise<void> {
    let recorded: Promise<unknown> | null = null;
    try {
      const attempted = await attempts.attempt(claim);
      recorded = attempted.recorded;
      if (attempted.result.verdict !== 'delivered') tasks.add(pauseUntil(recorded, claim));
    } catch (error) {
      if (!(error instanceof NoTurn)) throw error;
      // The dispatcher is not woken: the next poll claims these deliveries again.
      tasks.add(release(queues.invalidate(claim)));
    } finally {
      queues.finish(claim);
      startRequests(claim);
    }
    await recorded;
  }

  /**
   * After a failure, pauses sending until the outcome is recorded, which may open the breaker or disable the
   * endpoint.
   */
  async function pauseUntil(recorded: Promise<unknown>, endpoint: EndpointRef): Promise<void> {
    queues.pause(endpoint);
    const released = release(queues.invalidate(endpoint));
    await Promise.allSettled([released, recorded]);
    queues.resume(endpoint);
    // Also releases the result of a claim that was under way meanwhile.
    invalidate(endpoint);
    wake([endpoint]);
    await released;
  }

  /** Releases prefetched claims, so that they are claimed again. */
  function invalidate(endpoint: EndpointRef): void {
    const prefetched = queues.invalidate(endpoint);
    if (prefetched.length === 0) return;
    tasks.add(release(prefetched).then(() => wake([endpoint])));
  }

  async function release(claimed: ClaimedDelivery[]): Promise<void> {
    spans.waiting(claimed);
    await claims.release(claimed);
  }

  function wake(endpoints: EndpointRef[]): void {
    queues.markReady(endpoints);
    loop.wakeUp();
  }

  return {
    /** New deliveries are queued for the endpoints. */
    wake,
    /** The same for endpoints that a poll has found. */
    wakePending(endpoints: PendingEndpoint[]): void {
      spans.waiting(endpoints.map(({ oldestId: id, ...endpoint }) => ({ ...endpoint, id })));
      wake(endpoints);
    },
    /** The endpoints were changed: their prefetched claims are released and claimed again. */
    invalidate(endpoints: EndpointRef[]): void {
      for (const endpoint of endpoints) invalidate(endpoint);
    },
    async stop(): Promise<void> {
      isStopping = true;
      await loop.stop();
      tasks.add(release(queues.invalidateAll()));
      await tasks.drain();
    },
  };
}

/** Claims for ready endpoints in a loop, and passes on endpoints that got deliveries. */
function startClaimLoop(
  { claims, leaseSeconds, pollIntervalMs, log, spans }: DispatcherDeps & { spans: ClaimSpans },
  queues: PrefetchQueues<ClaimedDelivery>,
  onClaimed: (endpoint: EndpointRef) => void,
) {
  const { wakeUp, wait } = createWakeUp();
  let isStopping = false;

  async function run(): Promise<void> {
    while (!isStopping) {
      try {
        await claimAll();
      } catch (err) {
        log.warn({ err }, 'The dispatcher could not claim deliveries: it tries again');
        await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
      }
      await wait(pollIntervalMs);
    }
  }

  async function claimAll(): Promise<void> {
    while (!isStopping) {
      const capacities = queues.takeCapacities();
      if (capacities.length === 0) return;
      const claimed = await claims.claimNew(capacities, spans.of(capacities), leaseSeconds);
      spans.claimed(claimed);
      for (const endpoint of queues.add(claimed, capacities, performance.now())) onClaimed(endpoint);
    }
  }

  const running = run();
  return {
    wakeUp,
    async stop() {
      isStopping = true;
      wakeUp();
      await running;
    },
  };
}

/** A wait that another caller can end early. */
export type WakeUp = ReturnType<typeof createWakeUp>;

export function createWakeUp() {
  let isAwake = false;
  let endWait: (() => void) | null = null;
  return {
    /** Ends the wait, or makes the next one end at once. */
    wakeUp(): void {
      isAwake = true;
      endWait?.();
    },
    async wait(timeoutMs: number): Promise<void> {
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        endWait = null;
      }
      isAwake = false;
    },
  };
}
