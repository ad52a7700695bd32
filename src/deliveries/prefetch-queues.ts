/**
 * The dispatcher's bookkeeping: how much to claim for which endpoints, which claims wait to be sent
 * (prefetched), and how many requests are in flight. No I/O and no clock.
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';
import type { EndpointCapacity } from './claims.repository.ts';

/** Bounds the statement of a claim, however many endpoints there are. */
const ENDPOINTS_PER_CLAIM = 500;
/**
 * Total of prefetched deliveries, shared by the endpoints with something to send; each holds its payload in
 * memory.
 */
const PREFETCHED_MAX = 2_000;
/**
 * Total of requests in flight, shared in the same way; each holds a socket. Every endpoint gets a few in any
 * case.
 */
const IN_FLIGHT_MAX = 640;
const IN_FLIGHT_MIN = 2;
/**
 * Prefetched deliveries of one endpoint, as a multiple of its requests in flight, so that its next request
 * starts without a statement in between. The multiple doubles when the endpoint needs more within
 * `growWithinMs`, so that a fast receiver costs few statements.
 */
const PREFETCH_FACTOR = { first: 8, most: 32, growWithinMs: 150 };

interface PrefetchLimits {
  /** Requests in flight to one endpoint. */
  perEndpointMax: number;
  /** Older claims are not sent. */
  maxClaimAgeMs: number;
}

interface EndpointQueue<Claim> {
  /** Oldest first. */
  prefetched: Array<{ claim: Claim; claimedAtMs: number }>;
  inFlight: number;
  prefetchFactor: number;
  lastClaimAtMs: number;
}

export class PrefetchQueues<Claim extends EndpointRef> {
  readonly #limits: PrefetchLimits;
  readonly #queues = new Map<string, EndpointQueue<Claim>>();
  /** Endpoints that may have deliveries to claim. */
  readonly #ready = new Map<string, EndpointRef>();
  /** Number of failures per endpoint that are being recorded. */
  readonly #paused = new Map<string, number>();

  constructor(limits: PrefetchLimits) {
    this.#limits = limits;
  }

  markReady(endpoints: readonly EndpointRef[]): void {
    for (const endpoint of endpoints) this.#ready.set(endpointKey(endpoint), endpoint);
  }

  /**
   * Takes the ready endpoints whose queue has run low, with the number to claim for each. They are no longer
   * ready.
   */
  takeCapacities(): EndpointCapacity[] {
    const chosen = this.#chooseReady();
    const newCount = chosen.filter((key) => !this.#queues.has(key)).length;
    return chosen.flatMap((key) => {
      const { organizationId, endpointId } = this.#ready.get(key) as EndpointRef;
      const queue = this.#queues.get(key);
      const capacity = this.#prefetchMax(queue, newCount) - (queue?.prefetched.length ?? 0);
      if (capacity <= 0) return [];
      this.#ready.delete(key);
      return [{ organizationId, endpointId, capacity }];
    });
  }

  /** Adds claims for these capacities. Returns the endpoints that got some. */
  add(claimed: readonly Claim[], capacities: readonly EndpointCapacity[], nowMs: number): EndpointRef[] {
    const counts = new Map<string, number>();
    for (const claim of claimed) {
      const key = endpointKey(claim);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      this.#getOrCreate(key).prefetched.push({ claim, claimedAtMs: nowMs });
    }
    const served = capacities.filter((endpoint) => counts.has(endpointKey(endpoint)));
    for (const endpoint of served) {
      const key = endpointKey(endpoint);
      growPrefetch(this.#getOrCreate(key), nowMs);
      // A full capacity means that there may be more to claim.
      if (counts.get(key) === endpoint.capacity) this.#ready.set(key, endpoint);
    }
    return served;
  }

  /** The next delivery to send, counted as in flight; null when there is none, or the limit is reached. */
  next(endpoint: EndpointRef): Claim | null {
    const key = endpointKey(endpoint);
    const queue = this.#queues.get(key);
    if (!queue || this.#paused.has(key) || queue.inFlight >= this.#inFlightMax()) return null;
    const next = queue.prefetched.shift();
    if (!next) return null;
    queue.inFlight++;
    return next.claim;
  }

  /** Counts the end of a request to the endpoint. */
  finish(endpoint: EndpointRef): void {
    const key = endpointKey(endpoint);
    const queue = this.#queues.get(key) as EndpointQueue<Claim>;
    queue.inFlight--;
    this.#removeIfEmpty(key, queue);
  }

  /** Whether only the age of the next claim keeps a request from starting. */
  isStale(endpoint: EndpointRef, nowMs: number): boolean {
    const queue = this.#queues.get(endpointKey(endpoint));
    const oldest = queue?.prefetched[0];
    if (!queue || !oldest || queue.inFlight >= this.#inFlightMax()) return false;
    return nowMs - oldest.claimedAtMs > this.#limits.maxClaimAgeMs;
  }

  /** Whether to claim again now, while the rest of the queue is being sent. */
  needsRefill(endpoint: EndpointRef): boolean {
    const key = endpointKey(endpoint);
    return this.#ready.has(key) && !this.#paused.has(key) && this.#isLow(this.#queues.get(key));
  }

  /** Stops claiming and sending for the endpoint until every pause has ended. */
  pause(endpoint: EndpointRef): void {
    const key = endpointKey(endpoint);
    this.#paused.set(key, (this.#paused.get(key) ?? 0) + 1);
  }

  resume(endpoint: EndpointRef): void {
    const key = endpointKey(endpoint);
    const left = (this.#paused.get(key) ?? 0) - 1;
    if (left > 0) this.#paused.set(key, left);
    else this.#paused.delete(key);
  }

  /** Removes and returns the prefetched claims of the endpoint; the caller releases them. */
  invalidate(endpoint: EndpointRef): Claim[] {
    const key = endpointKey(endpoint);
    const queue = this.#queues.get(key);
    return queue ? this.#empty(key, queue) : [];
  }

  /** Removes and returns the prefetched claims of all endpoints. */
  invalidateAll(): Claim[] {
    return [...this.#queues].flatMap(([key, queue]) => this.#empty(key, queue));
  }

  #chooseReady(): string[] {
    const chosen: string[] = [];
    for (const key of this.#ready.keys()) {
      if (chosen.length === ENDPOINTS_PER_CLAIM) break;
      if (!this.#paused.has(key) && this.#isLow(this.#queues.get(key))) chosen.push(key);
    }
    return chosen;
  }

  #getOrCreate(key: string): EndpointQueue<Claim> {
    const queue = this.#queues.get(key) ?? {
      prefetched: [],
      inFlight: 0,
      prefetchFactor: PREFETCH_FACTOR.first,
      lastClaimAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#queues.set(key, queue);
    return queue;
  }

  #empty(key: string, queue: EndpointQueue<Claim>): Claim[] {
    queue.prefetchFactor = PREFETCH_FACTOR.first;
    const claims = queue.prefetched.splice(0).map(({ claim }) => claim);
    this.#removeIfEmpty(key, queue);
    return claims;
  }

  #removeIfEmpty(key: string, { inFlight, prefetched }: EndpointQueue<Claim>): void {
    if (inFlight === 0 && prefetched.length === 0) this.#queues.delete(key);
  }

  #isLow(queue: EndpointQueue<Claim> | undefined): boolean {
    return (queue?.prefetched.length ?? 0) * 2 <= this.#prefetchMax(queue);
  }

  #prefetchMax(queue: EndpointQueue<Claim> | undefined, newCount = 0): number {
    const factor = queue?.prefetchFactor ?? PREFETCH_FACTOR.first;
    return Math.min(
      this.#limits.perEndpointMax * factor,
      Math.max(this.#inFlightMax(newCount), this.#share(PREFETCHED_MAX, newCount)),
    );
  }

  #inFlightMax(newCount = 0): number {
    const share = this.#share(IN_FLIGHT_MAX, newCount);
    return Math.min(this.#limits.perEndpointMax, Math.max(IN_FLIGHT_MIN, share));
  }

  /** Leaves a share for each new endpoint; at least one, for the next endpoint with something to send. */
  #share(total: number, newCount: number): number {
    return Math.floor(total / (this.#queues.size + Math.max(1, newCount)));
  }
}

function growPrefetch(queue: EndpointQueue<unknown>, nowMs: number): void {
  if (nowMs - queue.lastClaimAtMs < PREFETCH_FACTOR.growWithinMs)
    queue.prefetchFactor = Math.min(queue.prefetchFactor * 2, PREFETCH_FACTOR.most);
  queue.lastClaimAtMs = nowMs;
}
