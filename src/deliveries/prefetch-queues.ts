/**
 * The dispatcher's bookkeeping: how much to claim for which endpoints, which claims wait to be sent
 * (prefetched), and how many requests are in flight. No I/O and no clock.
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';
import type { EndpointCapacity } from './claims.repository.ts';

/** Bounds the statement of a claim, however many endpoints there are. */
const ENDPOINTS_PER_CLAIM = 500;
/**
 * Total of prefetched deliveries, shared by the organizations with something to send, and the share of each by
 * its endpoints; each delivery holds its payload in memory.
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
  organizationId: string;
  /** Oldest first. */
  prefetched: Array<{ claim: Claim; claimedAtMs: number }>;
  inFlight: number;
  prefetchFactor: number;
  lastClaimAtMs: number;
}

/** The queues that a claim may add. */
interface AddedQueues {
  /** Number of organizations that have no queue yet. */
  organizations: number;
  countByOrganization: ReadonlyMap<string, number>;
}

const NONE_ADDED: AddedQueues = { organizations: 0, countByOrganization: new Map() };

export class PrefetchQueues<Claim extends EndpointRef> {
  readonly #limits: PrefetchLimits;
  readonly #queues = new Map<string, EndpointQueue<Claim>>();
  /** Number of queues per organization. */
  readonly #queueCounts = new Map<string, number>();
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
    const added = this.#toAdd(chosen);
    return chosen.flatMap((key) => {
      const { organizationId, endpointId } = this.#ready.get(key) as EndpointRef;
      const queue = this.#queues.get(key);
      const capacity = this.#prefetchMax(organizationId, queue, added) - (queue?.prefetched.length ?? 0);
      if (capacity <= 0) return [];
      this.#ready.delete(key);
      return [{ organizationId, endpointId, capacity }];
    });
  }

  /** Adds claims for these capacities. Returns the endpoints that got some. */
  add(claimed: readonly Claim[], capacities: readonly EndpointCapacity[], nowMs: number): EndpointRef[] {
    const counts = new Map<string, number>();
    for (const claim of claimed) {
      addTo(counts, endpointKey(claim), 1);
      this.#getOrCreate(claim).prefetched.push({ claim, claimedAtMs: nowMs });
    }
    const served = capacities.filter((endpoint) => counts.has(endpointKey(endpoint)));
    for (const endpoint of served) {
      const key = endpointKey(endpoint);
      growPrefetch(this.#getOrCreate(endpoint), nowMs);
      // A full capacity means that there may be more to claim.
      if (counts.get(key) === endpoint.capacity) this.#ready.set(key, endpoint);
    }
    return served;
  }

  /** The next delivery to send, counted as in flight; null when there is none, or the limit is reached. */
  next(endpoint: EndpointRef): Claim | null {
    const key = endpointKey(endpoint);
    const queue = this.#queues.get(key);
    if (!queue || this.#paused.has(key) || this.#isBusy(queue)) return null;
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
    if (!queue || !oldest || this.#isBusy(queue)) return false;
    return nowMs - oldest.claimedAtMs > this.#limits.maxClaimAgeMs;
  }

  /** Whether to claim again now, while the rest of the queue is being sent. */
  needsRefill(endpoint: EndpointRef): boolean {
    const key = endpointKey(endpoint);
    return this.#ready.has(key) && !this.#paused.has(key) && this.#isLow(this.#queues.get(key));
  }

  /** Stops claiming and sending for the endpoint until every pause has ended. */
  pause(endpoint: EndpointRef): void {
    addTo(this.#paused, endpointKey(endpoint), 1);
  }

  resume(endpoint: EndpointRef): void {
    addTo(this.#paused, endpointKey(endpoint), -1);
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

  #toAdd(chosen: readonly string[]): AddedQueues {
    const countByOrganization = new Map<string, number>();
    for (const key of chosen.filter((each) => !this.#queues.has(each)))
      addTo(countByOrganization, (this.#ready.get(key) as EndpointRef).organizationId, 1);
    const organizations = [...countByOrganization.keys()].filter((id) => !this.#queueCounts.has(id)).length;
    return { organizations, countByOrganization };
  }

  #getOrCreate(endpoint: EndpointRef): EndpointQueue<Claim> {
    const key = endpointKey(endpoint);
    const found = this.#queues.get(key);
    if (found) return found;
    const { organizationId } = endpoint;
    const queue: EndpointQueue<Claim> = {
      organizationId,
      prefetched: [],
      inFlight: 0,
      prefetchFactor: PREFETCH_FACTOR.first,
      lastClaimAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#queues.set(key, queue);
    addTo(this.#queueCounts, organizationId, 1);
    return queue;
  }

  #empty(key: string, queue: EndpointQueue<Claim>): Claim[] {
    queue.prefetchFactor = PREFETCH_FACTOR.first;
    const claims = queue.prefetched.splice(0).map(({ claim }) => claim);
    this.#removeIfEmpty(key, queue);
    return claims;
  }

  #removeIfEmpty(key: string, { organizationId, inFlight, prefetched }: EndpointQueue<Claim>): void {
    if (inFlight > 0 || prefetched.length > 0) return;
    this.#queues.delete(key);
    addTo(this.#queueCounts, organizationId, -1);
  }

  #isBusy({ organizationId, inFlight }: EndpointQueue<Claim>): boolean {
    return inFlight >= this.#inFlightMax(organizationId);
  }

  #isLow(queue: EndpointQueue<Claim> | undefined): boolean {
    return !queue || queue.prefetched.length * 2 <= this.#prefetchMax(queue.organizationId, queue);
  }

  #prefetchMax(organizationId: string, queue: EndpointQueue<Claim> | undefined, added = NONE_ADDED): number {
    const factor = queue?.prefetchFactor ?? PREFETCH_FACTOR.first;
    return Math.min(
      this.#limits.perEndpointMax * factor,
      Math.max(this.#inFlightMax(organizationId, added), this.#share(PREFETCHED_MAX, organizationId, added)),
    );
  }

  #inFlightMax(organizationId: string, added = NONE_ADDED): number {
    const share = this.#share(IN_FLIGHT_MAX, organizationId, added);
    return Math.min(this.#limits.perEndpointMax, Math.max(IN_FLIGHT_MIN, share));
  }

  /**
   * The share of one endpoint, in equal parts of the share of its organization: the slow endpoints of one
   * organization, however many, leave the others theirs. Leaves a share for each added queue; at least one,
   * for the next endpoint with something to send.
   */
  #share(total: number, organizationId: string, { organizations, countByOrganization }: AddedQueues): number {
    const endpoints =
      (this.#queueCounts.get(organizationId) ?? 0) + (countByOrganization.get(organizationId) ?? 0);
    const shares = (this.#queueCounts.size + organizations) * endpoints;
    return Math.floor(total / (countByOrganization.size > 0 ? shares : shares + 1));
  }
}

/** A count of 0 has no entry. */
function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function growPrefetch(queue: EndpointQueue<unknown>, nowMs: number): void {
  if (nowMs - queue.lastClaimAtMs < PREFETCH_FACTOR.growWithinMs)
    queue.prefetchFactor = Math.min(queue.prefetchFactor * 2, PREFETCH_FACTOR.most);
  queue.lastClaimAtMs = nowMs;
}
