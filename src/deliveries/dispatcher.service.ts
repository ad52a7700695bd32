/**
 * Sends what is new to endpoints that are well. Claims are leases that outlive any attempt; each endpoint has a cap of
 * its own, so a slow one fills its share and no more. Woken by the commit that queued something, and it looks every
 * second all the same.
 */
import type { Log } from '../process/log.ts';
import type { Attempts } from './attempts.service.ts';
import type { ClaimedDelivery, ClaimsRepository } from './claims.repository.ts';

export interface DispatcherDeps {
  claims: ClaimsRepository;
  attempts: Attempts;
  /** Requests in flight to one endpoint. */
  perEndpointMax: number;
  leaseSeconds: number;
  lookEveryMs: number;
  log: Log;
}

export interface Dispatcher {
  /** These endpoints have something new. */
  wake(endpointIds: string[]): void;
  /** These endpoints were changed: what is claimed for them is claimed anew. */
  recall(endpointIds: string[]): void;
  stop(): Promise<void>;
}

/** Endpoints in one claim, so that a statement stays short whatever the number of endpoints. */
const ENDPOINTS_PER_CLAIM = 500;
/**
 * Claimed ahead per endpoint, in caps: its next request leaves when a place is free, without a statement in between.
 * More of them for one that comes back for more at once, so that a fast receiver costs few statements.
 */
const CAPS_AHEAD = { first: 8, most: 32, againWithinMs: 150 };
/** Claimed ahead in all, shared by the endpoints that have something: each delivery in hand holds its payload. */
const AHEAD_MAX = 2_000;
/** In flight in all, shared alike: each holds a socket. However many endpoints there are, none is left without. */
const IN_FLIGHT_MAX = 640;
const IN_FLIGHT_MIN = 2;
const FAULT_PAUSE_MS = 500;
/** Claims older than this are made anew: a change of the endpoint is never missed for longer, nor does a lease end. */
const FRESH_MS = 5_000;
/** Part of the lease after which nothing is begun any more: what is left outlives an attempt. */
const FRESH_SHARE = 0.5;

interface Lane {
  /** Claimed and waiting for a place. */
  ahead: Array<{ claim: ClaimedDelivery; claimedAt: number }>;
  inFlight: number;
  capsAhead: number;
  /** When claims came last. */
  claimedAt: number;
}

export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { claims, attempts, perEndpointMax, leaseSeconds, lookEveryMs, log } = deps;
  const share = (total: number) => Math.floor(total / (lanes.size + 1));
  const inFlightMax = () => Math.min(perEndpointMax, Math.max(IN_FLIGHT_MIN, share(IN_FLIGHT_MAX)));
  const aheadMax = (lane?: Lane) =>
    Math.min(
      perEndpointMax * (lane?.capsAhead ?? CAPS_AHEAD.first),
      Math.max(inFlightMax(), share(AHEAD_MAX)),
    );
  const freshMs = Math.min(FRESH_MS, leaseSeconds * 1000 * FRESH_SHARE);
  const hot = new Set<string>();
  const lanes = new Map<string, Lane>();
  const working = new Set<Promise<void>>();
  let isStopping = false;
  let wakeUp: () => void = () => {};
  let isAwake = false;

  function stir(): void {
    isAwake = true;
    wakeUp();
  }

  function rooms(): Map<string, number> {
    const found = new Map<string, number>();
    for (const id of hot) {
      const lane = lanes.get(id);
      const most = aheadMax(lane);
      const room = most - (lane?.ahead.length ?? 0);
      if (room * 2 >= most) found.set(id, room);
      if (found.size === ENDPOINTS_PER_CLAIM) break;
    }
    return found;
  }

  async function claim(): Promise<void> {
    for (;;) {
      const asked = rooms();
      if (asked.size === 0 || isStopping) return;
      for (const id of asked.keys()) hot.delete(id);
      const claimed = await claims.claimNew(asked, leaseSeconds);
      const claimedAt = performance.now();
      const got = new Map<string, number>();
      for (const each of claimed) {
        got.set(each.endpointId, (got.get(each.endpointId) ?? 0) + 1);
        laneOf(each.endpointId).ahead.push({ claim: each, claimedAt });
      }
      // Who gave all that there was room for may have more.
      for (const [id, room] of asked) if (got.get(id) === room) hot.add(id);
      for (const id of got.keys()) {
        widen(laneOf(id), claimedAt);
        fill(id);
      }
    }
  }

  function widen(lane: Lane, claimedAt: number): void {
    if (claimedAt - lane.claimedAt < CAPS_AHEAD.againWithinMs)
      lane.capsAhead = Math.min(lane.capsAhead * 2, CAPS_AHEAD.most);
    lane.claimedAt = claimedAt;
  }

  function laneOf(id: string): Lane {
    const lane = lanes.get(id) ?? {
      ahead: [],
      inFlight: 0,
      capsAhead: CAPS_AHEAD.first,
      claimedAt: Number.NEGATIVE_INFINITY,
    };
    lanes.set(id, lane);
    return lane;
  }

  /** Begins as many attempts as there are free places. */
  function fill(id: string): void {
    const lane = laneOf(id);
    const isStale = ({ claimedAt }: Lane['ahead'][number]) => performance.now() - claimedAt > freshMs;
    if (lane.inFlight < inFlightMax() && lane.ahead.some(isStale)) giveBackAll(id, lane);
    while (lane.inFlight < inFlightMax() && !isStopping) {
      const next = lane.ahead.shift();
      if (!next) break;
      track(send(lane, next.claim));
    }
    if (lane.inFlight === 0 && lane.ahead.length === 0) lanes.delete(id);
    if (hot.has(id) && lane.ahead.length * 2 <= aheadMax(lane)) stir();
  }

  async function send(lane: Lane, next: ClaimedDelivery): Promise<void> {
    const id = next.endpointId;
    lane.inFlight++;
    let settled: Promise<void> | null = null;
    try {
      const attempted = await attempts.attempt(next);
      settled = attempted.settled;
      // What is claimed ahead of a failure goes back: whether the endpoint is still to be sent to is decided anew.
      if (attempted.result.verdict !== 'delivered') giveBackAll(id, lane, settled);
    } finally {
      lane.inFlight--;
      fill(id);
    }
    await settled;
  }

  /** Claims go back at once, and are made anew after what was decided in between. */
  function giveBackAll(id: string, lane: Lane, after: Promise<void> = Promise.resolve()): void {
    lane.capsAhead = CAPS_AHEAD.first;
    const ahead = lane.ahead.splice(0).map(({ claim: each }) => each);
    if (ahead.length === 0) return;
    const released = claims.release(ahead);
    const again = () => {
      hot.add(id);
      stir();
    };
    track(Promise.all([released, after.catch(() => {})]).then(again));
  }

  function track(work: Promise<void>): void {
    const guarded: Promise<void> = work
      .catch((err) => log.warn({ err }, 'a delivery was left to its lease, which brings it back'))
      .finally(() => working.delete(guarded));
    working.add(guarded);
  }

  function pause(ms: number): Promise<void> {
    if (isAwake) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  let lookedAt = Number.NEGATIVE_INFINITY;
  /** Makes up for wake-ups that were missed, and for workers that are gone. */
  async function look(): Promise<void> {
    if (performance.now() - lookedAt < lookEveryMs) return;
    lookedAt = performance.now();
    await claims.releaseExpired();
    await claims.holdOrphanedDeliveries();
    for (const id of await claims.listPendingWebhookIds()) hot.add(id);
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      isAwake = false;
      try {
        await look();
        await claim();
      } catch (err) {
        log.warn({ err }, 'the dispatcher could not claim: it tries again');
        await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
      }
      await pause(lookEveryMs);
    }
  }

  const running = run();
  return {
    wake(endpointIds) {
      for (const id of endpointIds) hot.add(id);
      stir();
    },
    recall(endpointIds) {
      for (const id of endpointIds) {
        const lane = lanes.get(id);
        if (lane) giveBackAll(id, lane);
      }
    },
    async stop() {
      isStopping = true;
      stir();
      await running;
      for (const [id, lane] of lanes) giveBackAll(id, lane);
      while (working.size > 0) await Promise.allSettled(working);
      await attempts.flush();
    },
  };
}
