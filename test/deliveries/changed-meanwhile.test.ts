/**
 * Deliveries that another transaction changes while a statement works on them: PostgreSQL checks such rows
 * again, and some releases of it end with all their connections when partitions are chosen meanwhile
 * (OUTBOX_SESSION).
 */
import assert from 'node:assert/strict';
import { OUTBOX_SESSION } from '../../src/compose/delivery-worker.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createAttemptsRepository } from '../../src/deliveries/attempts.repository.ts';
import { createBacklogRepository } from '../../src/deliveries/backlog.repository.ts';
import { createClaimSpans } from '../../src/deliveries/claim-spans.ts';
import { type ClaimedDelivery, createClaimsRepository } from '../../src/deliveries/claims.repository.ts';
import { createDeletedEndpointsRepository } from '../../src/deliveries/deleted-endpoints.repository.ts';
import { eventually } from '../support/fleet.ts';
import { untilLockWaits } from '../support/lock-waits.ts';
import { useService } from '../support/service.ts';
import { addCustomer, type Customer, type Endpoint, toDelivered } from './harness.ts';

const LEASE_SECONDS = 60;
const ENDPOINTS = 6;
const EVENTS = 100;
const CLAIMED_AT_ONCE = 20;
const ROUNDS = 60;
const OWNERS = ['1', '2', '3', '4'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);

describe('Deliveries that change while a statement works on them', () => {
  const dms = useService({ withWorker: false });
  let sql: Database;
  let customer: Customer;
  let endpoints: Endpoint[];

  before(() => {
    sql = openDatabase({
      url: dms.settings.databaseUrl,
      poolSize: OWNERS.length + 2,
      statementTimeoutMs: 0,
      applicationName: 'test',
      // As with tables of the size that counts.
      session: { ...OUTBOX_SESSION, enable_bitmapscan: 'off' },
    });
  });
  after(() => sql.destroy());
  beforeEach(async () => {
    customer = await addCustomer(dms);
    endpoints = [];
    for (let count = 0; count < ENDPOINTS; count++)
      endpoints.push(await customer.subscribe(`http://127.0.0.1:9/${count}`));
    await customer.publish(EVENTS);
  });

  const refs = () => endpoints.map(({ id }) => ({ organizationId: customer.id, endpointId: id }));
  const claimsOf = (ownerId = OWNERS[0] as string) => createClaimsRepository(sql, ownerId);
  const claim = (capacity: number, ownerId?: string): Promise<ClaimedDelivery[]> =>
    claimsOf(ownerId).claimNew(
      refs().map((ref) => ({ ...ref, capacity })),
      createClaimSpans().of(refs()),
      LEASE_SECONDS,
    );

  /** Changes the rows in a transaction that commits when the work waits for it. */
  async function meanwhile(ids: string[], change: string, work: () => Promise<unknown>): Promise<void> {
    const transact = createTransact(sql);
    let working: Promise<unknown> = Promise.resolve();
    await transact(async (tx) => {
      await query(
        tx.sql,
        `update deliveries set ${change} where organization_id = ? and id = any (?::uuid[])`,
        [customer.id, ids],
      );
      working = work();
      working.catch(() => {});
      await untilLockWaits(sql, 1);
    });
    await working;
  }

  const countOf = async (state: string) => {
    const counted = await query<{ count: number }>(
      sql,
      'select count(*) from deliveries where organization_id = ? and state = ?',
      [customer.id, state],
    );
    return counted[0]?.count;
  };

  /** Changes rows again and again until the work ends. */
  async function disturbed(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const change = async () => {
      while (!isOver)
        await query(
          sql,
          `update deliveries d set updated_at = now() from (
             select endpoint_id, id from deliveries where organization_id = ? and random() < 0.3 for update skip locked
           ) as n where d.organization_id = ? and d.endpoint_id = n.endpoint_id and d.id = any (array[n.id])`,
          [customer.id, customer.id],
        );
    };
    const changing = change();
    await work.finally(() => {
      isOver = true;
    });
    await changing;
  }

  it('belong to one of several processes at a time, once claimed', async () => {
    const held = new Set<string>();
    await disturbed(
      Promise.all(
        OWNERS.map(async (ownerId) => {
          for (let round = 0; round < ROUNDS; round++) {
            const claimed = await claim(CLAIMED_AT_ONCE, ownerId);
            for (const { id } of claimed) {
              assert.ok(!held.has(id), 'claimed by two');
              held.add(id);
            }
            for (const { id } of claimed) held.delete(id);
            await claimsOf(ownerId).release(claimed);
          }
        }),
      ),
    );
    assert.equal(await countOf('pending'), ENDPOINTS * EVENTS);
  });

  it('keep the attempts that are recorded on them', async () => {
    for (let round = 0; round < 2; round++) {
      const claimed = await claim(EVENTS / 2);
      await meanwhile([claimed[0]?.id as string, claimed[9]?.id as string], 'updated_at = now()', () =>
        createAttemptsRepository(sql, OWNERS[0] as string).record(claimed.map(toDelivered)),
      );
    }
    assert.equal(await countOf('delivered'), ENDPOINTS * EVENTS);
  });

  it('become pending again when they are released', async () => {
    const claimed = await claim(EVENTS);
    await meanwhile([claimed[0]?.id as string], 'updated_at = now()', () => claimsOf().release(claimed));
    assert.equal(await countOf('pending'), ENDPOINTS * EVENTS);
  });

  it('return to the queue by a replay, unless they did meanwhile', async () => {
    const claimed = await claim(EVENTS);
    const attempts = createAttemptsRepository(sql, OWNERS[0] as string);
    await attempts.record(claimed.map(toDelivered));
    const backlog = createBacklogRepository(sql);
    const [ref] = refs();
    assert.ok(ref);
    const ids = claimed.filter(({ endpointId }) => endpointId === ref.endpointId).map(({ id }) => id);
    const span = {
      firstId: '00000000-0000-0000-0000-000000000000',
      endId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    };
    assert.equal(await backlog.requestReplay(ref, { ...span, states: ['delivered'] }), EVENTS);
    await meanwhile([ids[0] as string], "state = 'retrying', next_attempt_at = now()", () =>
      backlog.queueReplay(ref),
    );
    assert.equal(await countOf('retrying'), EVENTS);
  });

  it('end with their endpoint, unless they did meanwhile', async () => {
    const [endpoint] = endpoints;
    const deleted = createDeletedEndpointsRepository(sql);
    const claimed = await claim(EVENTS);
    await claimsOf().release(claimed);
    assert.equal((await customer.api.delete(endpoint?.path as string)).status, 204);
    const own = claimed.filter(({ endpointId }) => endpointId === endpoint?.id);
    await Promise.all([
      ...OWNERS.map(() => deleted.cancelQueued()),
      ...own.slice(0, 20).map((each) => claimsOf().release([each])),
    ]);
    await eventually(
      () => deleted.cancelQueued(),
      (count) => count === 0,
    );
    assert.equal(await countOf('cancelled'), EVENTS);
  });
});
