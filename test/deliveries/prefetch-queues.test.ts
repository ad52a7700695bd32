/** The dispatcher's bookkeeping: what it claims, sends next and releases. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PrefetchQueues } from '../../src/deliveries/prefetch-queues.ts';
import type { EndpointRef } from '../../src/endpoints/endpoint.ts';

const PER_ENDPOINT_MAX = 4;
const MAX_CLAIM_AGE_MS = 1_000;
/** Initial prefetch, in multiples of the requests in flight. */
const FIRST_CAPACITY = 8 * PER_ENDPOINT_MAX;

interface Claim extends EndpointRef {
  number: number;
}

const refOf = (name: string): EndpointRef => ({
  organizationId: `organization of ${name}`,
  endpointId: name,
});
const [A, B] = [refOf('a'), refOf('b')];

const newQueues = (perEndpointMax = PER_ENDPOINT_MAX) =>
  new PrefetchQueues<Claim>({ perEndpointMax, maxClaimAgeMs: MAX_CLAIM_AGE_MS });

const claimsOf = (endpoint: EndpointRef, count: number, first = 0): Claim[] =>
  Array.from({ length: count }, (_, index) => ({ ...endpoint, number: first + index }));

/** Queues with this many deliveries of the endpoint, claimed at 0 ms. */
function queuesWith(endpoint: EndpointRef, count: number): PrefetchQueues<Claim> {
  const queues = newQueues();
  queues.markReady([endpoint]);
  queues.add(claimsOf(endpoint, count), queues.takeCapacities(), 0);
  return queues;
}

/** Starts requests up to the limit; returns their number. */
function startAll(queues: PrefetchQueues<Claim>, endpoint: EndpointRef): number {
  let started = 0;
  while (queues.next(endpoint)) started++;
  return started;
}

function finishAll(queues: PrefetchQueues<Claim>, endpoint: EndpointRef, count: number): void {
  for (let finished = 0; finished < count; finished++) queues.finish(endpoint);
}

describe('PrefetchQueues', () => {
  it('claims and hands out nothing for a paused endpoint until every pause has ended', () => {
    const queues = queuesWith(A, 2);
    queues.pause(A);
    queues.pause(A);
    queues.markReady([A, B]);
    assert.equal(queues.next(A), null);
    assert.deepEqual(
      queues.takeCapacities().map(({ endpointId }) => endpointId),
      [B.endpointId],
    );
    queues.resume(A);
    assert.equal(queues.next(A), null);
    queues.resume(A);
    assert.equal(queues.next(A)?.number, 0);
    assert.equal(queues.takeCapacities()[0]?.endpointId, A.endpointId);
  });

  it('claims for ready endpoints only, once each', () => {
    const queues = newQueues();
    assert.deepEqual(queues.takeCapacities(), []);
    queues.markReady([A, B, A]);
    assert.deepEqual(queues.takeCapacities(), [
      { ...A, capacity: FIRST_CAPACITY },
      { ...B, capacity: FIRST_CAPACITY },
    ]);
    assert.deepEqual(queues.takeCapacities(), []);
  });

  it('claims again for an endpoint that filled its capacity, and for no other', () => {
    const queues = newQueues();
    queues.markReady([A, B]);
    const capacities = queues.takeCapacities();
    const served = queues.add([...claimsOf(A, FIRST_CAPACITY), ...claimsOf(B, 1)], capacities, 0);
    assert.deepEqual(
      served.map(({ endpointId }) => endpointId),
      ['a', 'b'],
    );
    assert.equal(queues.needsRefill(A), false, 'its queue is full');
    for (let sent = 0; sent < FIRST_CAPACITY / 2; sent++) {
      queues.next(A);
      queues.finish(A);
    }
    assert.deepEqual([queues.needsRefill(A), queues.needsRefill(B)], [true, false]);
    assert.deepEqual(queues.takeCapacities(), [{ ...A, capacity: FIRST_CAPACITY / 2 }]);
  });

  it('doubles the prefetch of an endpoint that needs more within a short time, up to a limit', () => {
    const queues = newQueues();
    const capacities: number[] = [];
    for (let round = 0; round < 5; round++) {
      queues.markReady([A]);
      const taken = queues.takeCapacities();
      const capacity = taken[0]?.capacity ?? 0;
      capacities.push(capacity);
      queues.add(claimsOf(A, capacity), taken, round * 100);
      for (let claim = queues.next(A), last = 1; claim; claim = queues.next(A), last++) {
        // One request stays in flight, so that the queue is not forgotten.
        if (last < capacity || round === 4) queues.finish(A);
      }
    }
    assert.equal(capacities[0], FIRST_CAPACITY);
    assert.ok(capacities.every((each) => each <= 32 * PER_ENDPOINT_MAX));
    assert.equal(Math.max(...capacities), 32 * PER_ENDPOINT_MAX);
  });

  it('hands out deliveries in order, up to the limit of the endpoint at a time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: FIRST_CAPACITY }),
        fc.array(fc.boolean(), { maxLength: 100 }),
        (count, turns) => {
          const queues = queuesWith(A, count);
          const sent: number[] = [];
          let inFlight = 0;
          for (const startsOne of turns) {
            if (startsOne) {
              const claim = queues.next(A);
              assert.equal(claim === null, inFlight === PER_ENDPOINT_MAX || sent.length === count);
              if (!claim) continue;
              sent.push(claim.number);
              inFlight++;
            } else if (inFlight > 0) {
              queues.finish(A);
              inFlight--;
            }
          }
          assert.deepEqual(
            sent,
            claimsOf(A, sent.length).map(({ number }) => number),
          );
        },
      ),
    );
  });

  it('gives up the prefetched claims of an invalidated endpoint, and none of another one', () => {
    const queues = newQueues();
    queues.markReady([A, B]);
    queues.add([...claimsOf(A, 3), ...claimsOf(B, 2)], queues.takeCapacities(), 0);
    assert.equal(queues.next(A)?.number, 0);
    assert.deepEqual(
      queues.invalidate(A).map(({ number }) => number),
      [1, 2],
    );
    assert.deepEqual([queues.next(A), queues.invalidate(A)], [null, []]);
    assert.equal(queues.next(B)?.number, 0);
    assert.deepEqual(queues.invalidateAll(), claimsOf(B, 1, 1));
  });

  it('reports claims as stale when they are too old to be sent', () => {
    const queues = queuesWith(A, 2);
    assert.equal(queues.isStale(A, MAX_CLAIM_AGE_MS), false);
    assert.equal(queues.isStale(A, MAX_CLAIM_AGE_MS + 1), true);
    queues.invalidate(A);
    assert.equal(queues.isStale(A, MAX_CLAIM_AGE_MS + 1), false);
  });

  it('bounds the totals of prefetched and sent deliveries, and lets each endpoint send something', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const queues = newQueues();
        const endpoints = Array.from({ length: count }, (_, index) => refOf(String(index)));
        const fill = (countOf: (capacity: number) => number) => {
          queues.markReady(endpoints);
          const capacities = queues.takeCapacities();
          const claims = capacities.flatMap((each) => claimsOf(each, countOf(each.capacity)));
          queues.add(claims, capacities, 0);
          return claims.length;
        };
        fill(() => 1);
        const prefetched = count + fill((capacity) => capacity);
        assert.ok(prefetched <= Math.max(2_000, count * 3), `${prefetched} prefetched`);
        const inFlight = endpoints.map((endpoint) => startAll(queues, endpoint));
        const total = inFlight.reduce((sum, each) => sum + each);
        assert.ok(Math.min(...inFlight) >= 1);
        assert.ok(total <= Math.max(640, count * 2), `${total} in flight`);
      }),
      { numRuns: 30 },
    );
  });

  it('shares both totals by organization first, so that 200 slow endpoints of one leave another its limit', () => {
    const perEndpointMax = 16;
    const queues = newQueues(perEndpointMax);
    const slow = Array.from({ length: 200 }, (_, index) => ({ ...B, endpointId: String(index) }));
    queues.markReady(slow);
    const capacities = queues.takeCapacities();
    const claims = capacities.flatMap((each) => claimsOf(each, each.capacity));
    queues.add(claims, capacities, 0);
    assert.deepEqual(new Set(slow.map((endpoint) => startAll(queues, endpoint))), new Set([3]), 'alone');

    queues.markReady([A]);
    const others = queues.takeCapacities();
    assert.deepEqual(others, [{ ...A, capacity: 8 * perEndpointMax }]);
    queues.add(claimsOf(A, 8 * perEndpointMax), others, 0);
    assert.equal(startAll(queues, A), perEndpointMax);

    finishAll(queues, slow[0] as EndpointRef, 3);
    assert.equal(startAll(queues, slow[0] as EndpointRef), 2, 'half of the total among 200, or the minimum');
    finishAll(queues, A, perEndpointMax);
    queues.invalidate(A);
    assert.equal(startAll(queues, slow[0] as EndpointRef), 1, 'alone again: three');
  });

  it('claims 2,000 deliveries at once at most, however many endpoints have become ready together', () => {
    for (const count of [1, 20, 300, 1_200]) {
      const queues = newQueues();
      queues.markReady(Array.from({ length: count }, (_, index) => refOf(String(index))));
      const capacities = queues.takeCapacities();
      const total = capacities.reduce((sum, { capacity }) => sum + capacity, 0);
      assert.equal(capacities.length, Math.min(count, 500));
      assert.ok(total <= 2_000, `${total} for ${count} endpoints`);
    }
  });

  it('distinguishes endpoints with the same id by their organization', () => {
    const other = { organizationId: 'another', endpointId: 'a' };
    const queues = queuesWith(A, 1);
    assert.equal(queues.next(other), null);
    assert.equal(queues.next(A)?.number, 0);
  });
});
