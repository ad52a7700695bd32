/** Long steps of an endpoint's run, without a receiver: the drain of its backlog, and its retries. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedDelivery } from '../../src/deliveries/claims.repository.ts';
import {
  createEndpointRecoveryService,
  type EndpointRecoveryDeps,
} from '../../src/deliveries/endpoint-recovery.service.ts';
import { createLog } from '../../src/process/log.ts';

const TICK_MS = 40;
const PER_TICK_MAX = 8;
const BACKLOG = 31;
/** How much too early a timer may fire. */
const TIMER_MS = 2;
const ENDPOINT = { organizationId: 'organization', endpointId: 'endpoint' };

interface Sent {
  id: string;
  /** Limit of its tick. */
  limit: number;
  /** Start of its tick, and time of sending, in ms. */
  tickAt: number;
  at: number;
}

/** More than a drain needs on a machine that stalls for some ticks. */
const TICKS_MAX = 40;

/** Drains until the breaker is closed, while this many new deliveries arrive with each tick. */
async function drain({ newPerTick = 0, answerMs = 0, tickMs = TICK_MS } = {}) {
  const backlog = Array.from({ length: BACKLOG }, (_, index) => `${100 + index}`);
  let newest = 100 + BACKLOG;
  const limits: number[] = [];
  const sent: Sent[] = [];
  let tickAt = 0;
  let isClosed = false;
  const deps = {
    claims: {
      claimBacklog: async (_: unknown, limit: number) => {
        tickAt = performance.now();
        limits.push(limit);
        for (let count = 0; count < newPerTick; count++) backlog.push(`${newest++}`);
        return backlog.splice(0, limit).map((id) => ({ ...ENDPOINT, id }) as ClaimedDelivery);
      },
      // A drain on a machine that stalls for some ticks releases claims.
      release: async (claims: ClaimedDelivery[]) => void backlog.unshift(...claims.map(({ id }) => id)),
    },
    backlog: { queueReplay: async () => false },
    endpoints: {},
    breakers: {
      drainIfClosed: async () => {},
      findRecoveredAt: async () => null,
      endDrain: async () => {
        isClosed = true;
        return true;
      },
    },
    attempts: {
      attempt: async ({ id }: ClaimedDelivery) => {
        sent.push({ id, limit: limits.at(-1) as number, tickAt, at: performance.now() });
        if (answerMs > 0) await delay(answerMs);
        return { result: { verdict: 'delivered' }, recorded: Promise.resolve(true) };
      },
    },
    perEndpointMax: 16,
    leaseSeconds: 60,
    drainPerSecondMax: PER_TICK_MAX,
    drainTickMs: tickMs,
    wake: async () => {},
    isStopping: () => false,
    log: createLog('silent'),
  };
  const steps = createEndpointRecoveryService(deps as unknown as EndpointRecoveryDeps);
  const ticksOfSteps: number[] = [];
  for (let pace = 1; !isClosed && limits.length < TICKS_MAX; ) {
    const ticksBefore = limits.length;
    pace = (await steps.drainBacklog(ENDPOINT, pace)).pace;
    ticksOfSteps.push(limits.length - ticksBefore);
  }
  return { limits, sent, isClosed, ticksOfSteps };
}

describe('The drain of a backlog', () => {
  let limits: number[];
  let sent: Sent[];

  before(async () => {
    ({ limits, sent } = await drain());
  });

  it('asks for 1, 2, 4 … deliveries a tick up to the limit', () => {
    assert.ok(limits.length >= 6);
    assert.deepEqual(
      limits,
      limits.map((_, tick) => Math.min(2 ** tick, PER_TICK_MAX)),
    );
  });

  it('sends each delivery once, oldest first', () => {
    const ids = sent.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal(ids.length, BACKLOG);
  });

  it('ends when it has caught up, although new deliveries keep arriving', async () => {
    const { sent: all, isClosed } = await drain({ newPerTick: PER_TICK_MAX / 2 });
    assert.deepEqual([isClosed, all.length > BACKLOG], [true, true]);
  });

  it('ends while new deliveries keep arriving, also when each answer takes longer than a tick', async () => {
    const { isClosed } = await drain({ newPerTick: PER_TICK_MAX / 2, answerMs: TICK_MS + 10 });
    assert.equal(isClosed, true);
  });

  it('goes on in another step, at its pace, when the answers of some ticks have taken the time of twenty', async () => {
    const { limits: asked, ticksOfSteps } = await drain({ answerMs: 50, tickMs: 5 });
    // Two answers take a hundred milliseconds, but for timers that fire too early.
    assert.ok(Math.max(...ticksOfSteps) <= 3, `${ticksOfSteps}`);
    assert.deepEqual(asked.slice(0, 4), [1, 2, 4, PER_TICK_MAX]);
  });

  it('begins a tick only when the one before is over, and spreads its requests over it', () => {
    const ticks = [...new Set(sent.map(({ tickAt }) => tickAt))];
    ticks.slice(1).forEach((tickAt, index) => {
      assert.ok(tickAt - (ticks[index] as number) >= TICK_MS - TIMER_MS, `${ticks}`);
    });
    for (const tickAt of ticks) {
      const requests = sent.filter((each) => each.tickAt === tickAt);
      requests.forEach(({ at, limit }, index) => {
        assert.ok(at - tickAt >= (index * TICK_MS) / limit - TIMER_MS, `request ${index} of ${limit}`);
      });
    }
  });
});

describe('The retries of an endpoint', () => {
  it('waits within the step for retries that are due within ten seconds', async () => {
    const due: Array<Array<{ id: string }>> = [[{ id: 'first' }], [], [{ id: 'second' }], []];
    const waits = [30, 30, 30, 10_001];
    const sent: string[] = [];
    const deps = {
      claims: {
        claimDue: async () => due.shift(),
        findMsUntilRetry: async () => waits.shift(),
        release: async () => {},
      },
      attempts: {
        attempt: async ({ id }: ClaimedDelivery) => {
          sent.push(id);
          return { result: { verdict: 'delivered' }, recorded: Promise.resolve(true) };
        },
      },
      perEndpointMax: 16,
      leaseSeconds: 60,
      isStopping: () => false,
    };
    await createEndpointRecoveryService(deps as unknown as EndpointRecoveryDeps).sendRetries(ENDPOINT);
    assert.deepEqual([sent, due, waits], [['first', 'second'], [], []]);
  });
});
