/** Two senders, and leases that expire while an attempt is under way. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createAttemptsRepository } from '../../src/deliveries/attempts.repository.ts';
import { createClaimSpans } from '../../src/deliveries/claim-spans.ts';
import { type ClaimedDelivery, createClaimsRepository } from '../../src/deliveries/claims.repository.ts';
import type { RecordedAttempt } from '../../src/deliveries/delivery.ts';
import { useService } from '../support/service.ts';
import { type Endpoint, useCustomer } from './harness.ts';

const LEASE_SECONDS = 60;
const spans = createClaimSpans();

describe('A claim of a delivery', () => {
  const dms = useService({ withWorker: false });
  const customer = useCustomer(dms);
  let endpoint: Endpoint;
  let slow: Sender;
  let quick: Sender;

  before(() => {
    [slow, quick] = [senderOf('slow'), senderOf('quick')];
  });
  beforeEach(async () => {
    endpoint = await customer.subscribe('http://127.0.0.1:9/');
    await customer.publish(1);
  });

  interface Sender {
    claim(): Promise<ClaimedDelivery>;
    record(claim: ClaimedDelivery, state: RecordedAttempt['state']): Promise<void>;
    release(claim: ClaimedDelivery): Promise<void>;
  }

  function senderOf(name: string): Sender {
    const ownerId = `00000000-0000-4000-8000-00000000000${name.length}`;
    const claims = createClaimsRepository(dms.service.sql, ownerId);
    const attempts = createAttemptsRepository(dms.service.sql, ownerId);
    return {
      async claim() {
        const ref = { organizationId: customer.id, endpointId: endpoint.id };
        const [isNew] = await claims.claimNew([{ ...ref, capacity: 1 }], spans.of([ref]), LEASE_SECONDS);
        const [claim] = isNew ? [isNew] : await claims.claimDue(ref, 1, LEASE_SECONDS);
        assert.ok(claim);
        return claim;
      },
      record: (claim, state) =>
        attempts.record([
          {
            ...claim,
            deliveryId: claim.id,
            attemptNumber: claim.attemptCount + 1,
            attemptedAt: new Date(),
            durationMs: 5,
            statusCode: state === 'delivered' ? 204 : 500,
            error: state === 'delivered' ? null : name,
            responseExcerpt: null,
            state,
            scheduleStep: 1,
            nextAttemptAt: state === 'retrying' ? new Date() : null,
          },
        ]),
      release: (claim) => claims.release([claim]),
    };
  }

  async function leaseRunsOut(leasedUntil = "now() - interval '1 second'"): Promise<void> {
    await query(
      dms.service.sql,
      `update deliveries set leased_until = ${leasedUntil} where state = 'sending'`,
    );
    await createClaimsRepository(dms.service.sql, customer.id).releaseExpired(new Date(0));
  }

  async function seen() {
    const { state, attemptCount, attempts } = await endpoint.delivery();
    return { state, attemptCount, statusCodes: attempts.map(({ statusCode }) => statusCode) };
  }

  it('ignores a late failure when another sender has delivered meanwhile', async () => {
    const late = await slow.claim();
    await leaseRunsOut();
    await quick.record(await quick.claim(), 'delivered');
    await slow.record(late, 'retrying');
    assert.deepEqual(await seen(), { state: 'delivered', attemptCount: 1, statusCodes: [204] });
  });

  it('ignores a late failure while another sender makes its attempt', async () => {
    const late = await slow.claim();
    await leaseRunsOut();
    const claim = await quick.claim();
    await slow.record(late, 'failed');
    await quick.record(claim, 'delivered');
    assert.deepEqual(await seen(), { state: 'delivered', attemptCount: 1, statusCodes: [204] });
  });

  it('keeps a late success over the retry of another sender, and both attempts', async () => {
    const late = await slow.claim();
    await leaseRunsOut();
    await quick.record(await quick.claim(), 'retrying');
    await slow.record(late, 'delivered');
    assert.deepEqual(await seen(), { state: 'delivered', attemptCount: 2, statusCodes: [500, 204] });
  });

  it('keeps a late success while the delivery waits for its next sender', async () => {
    const late = await slow.claim();
    await leaseRunsOut();
    await slow.record(late, 'delivered');
    assert.deepEqual(await seen(), { state: 'delivered', attemptCount: 1, statusCodes: [204] });
  });

  it('keeps a late success when a failure follows', async () => {
    const late = await slow.claim();
    await leaseRunsOut();
    const claim = await quick.claim();
    await slow.record(late, 'delivered');
    await quick.record(claim, 'retrying');
    assert.deepEqual(await seen(), { state: 'delivered', attemptCount: 1, statusCodes: [204] });
  });

  it('keeps a released resend immediate until an attempt was made', async () => {
    const claims = createClaimsRepository(dms.service.sql, customer.id);
    const ref = { organizationId: customer.id, endpointId: endpoint.id };
    const first = await slow.claim();
    await slow.record(first, 'failed');
    const { status } = await customer.api.post(`${endpoint.path}/deliveries/${first.id}/resend`);
    assert.equal(status, 202);
    for (let round = 0; round < 2; round++) {
      const [claim] = await claims.claimImmediate(ref, 1, LEASE_SECONDS);
      assert.ok(claim);
      await claims.release([claim]);
    }
    await slow.record(await slow.claim(), 'retrying');
    assert.deepEqual(await claims.claimImmediate(ref, 1, LEASE_SECONDS), []);
  });

  it('passes to another sender when its lease began while the clock of the database was a day ahead', async () => {
    const { id } = await slow.claim();
    await leaseRunsOut("leased_until + interval '1 day'");
    assert.equal((await quick.claim()).id, id);
  });

  it('refuses a release by a sender that has lost the claim', async () => {
    const late = await slow.claim();
    await leaseRunsOut();
    const claim = await quick.claim();
    await slow.release(late);
    assert.equal((await endpoint.deliveries())[0]?.state, 'pending');
    await quick.record(claim, 'retrying');
    assert.equal((await seen()).attemptCount, 1);
  });
});
