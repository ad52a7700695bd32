/** Claims read what may be new, whatever was sent before and is still kept for an old snapshot. */
import assert from 'node:assert/strict';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createAttemptsRepository } from '../../src/deliveries/attempts.repository.ts';
import { createClaimSpans } from '../../src/deliveries/claim-spans.ts';
import { createClaimsRepository } from '../../src/deliveries/claims.repository.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { firstIdAt } from '../../src/process/uuid.ts';
import { useReceiver } from '../support/receiver.ts';
import { type TestService, useService } from '../support/service.ts';
import { addCustomer, type Customer, type Endpoint, QUICK_PLAN, toDelivered } from './harness.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const LATE_COMMIT_MS = 2_000;
const minutesAgo = (minutes: number, ms = 0) => firstIdAt(new Date(NOW.getTime() - minutes * MINUTE_MS - ms));
const refOf = (name: string) => ({ organizationId: `organization of ${name}`, endpointId: name });
const [A, B] = [refOf('a'), refOf('b')];

describe('The span of a claim', () => {
  it('begins two seconds before the newest claimed delivery of the endpoint', () => {
    const spans = createClaimSpans();
    spans.claimed([
      { ...A, id: minutesAgo(10) },
      { ...A, id: minutesAgo(30) },
      { ...B, id: minutesAgo(3) },
    ]);
    assert.deepEqual(spans.of([A, B]), [minutesAgo(10, LATE_COMMIT_MS), minutesAgo(3, LATE_COMMIT_MS)]);
  });

  it('has no beginning for an endpoint that nothing was claimed of', () => {
    assert.deepEqual(createClaimSpans().of([A]), [firstIdAt(new Date(0))]);
  });

  it('reaches back to a delivery that was released or found by a poll', () => {
    const spans = createClaimSpans();
    spans.claimed([{ ...A, id: minutesAgo(1) }]);
    spans.waiting([{ ...A, id: minutesAgo(50) }]);
    assert.deepEqual(spans.of([A]), [minutesAgo(50)]);
    spans.waiting([{ ...A, id: minutesAgo(5) }]);
    assert.deepEqual(spans.of([A]), [minutesAgo(50)]);
  });
});

describe('A dispatcher with a long past', () => {
  const receiver = useReceiver();
  const dms = useService({
    deliveryPlan: { ...QUICK_PLAN, pollIntervalMs: 20 },
    now: () => new Date(Date.now() + aheadMs),
    monotonicMs: () => performance.now(),
  });
  let aheadMs = 0;

  it('sends a delivery whose transaction ended an hour after newer ones were sent', async () => {
    const customer = await addCustomer(dms);
    const endpoint = await customer.subscribe(receiver.url);
    await customer.publish(1);
    await endpoint.untilAll('delivered', 1);
    await addOld(dms.service.sql, { customer, endpoint, count: 1 });
    // The next poll then looks as far back as one in sixty does.
    aheadMs = -2 * HOUR_MS;
    await endpoint.untilAll('delivered', 2);
  });
});

describe('A claim while a dump keeps the deliveries of before', () => {
  const COUNT = 5_000;
  /** Blocks of deliveries that a claim of one may read, with some for its update. */
  const BLOCKS_MAX = 40;
  const dms = useService({ withWorker: false });
  let outbox: Database;

  it('reads none of them', async () => {
    const { sql } = dms.service;
    const customer = await addCustomer(dms);
    const endpoint = await customer.subscribe('http://127.0.0.1:9/');
    const ref = { organizationId: customer.id, endpointId: endpoint.id, capacity: COUNT + 1 };
    const spans = createClaimSpans();
    const open = () =>
      openDatabase({
        url: dms.settings.databaseUrl,
        poolSize: 1,
        statementTimeoutMs: 0,
        applicationName: 'outbox',
      });
    outbox = open();
    const claims = () => createClaimsRepository(outbox, customer.id);
    await customer.publish(1);
    await addOld(sql, { customer, endpoint, count: COUNT });
    const dump = await sql.transaction(undefined, { isolationLevel: 'repeatable read' });
    await dump.raw('select 1');
    const before = await claims().claimNew([ref], spans.of([ref]), 60);
    assert.equal(before.length, COUNT + 1);
    spans.claimed(before);
    await createAttemptsRepository(outbox, customer.id).record(before.map(toDelivered));
    await outbox.destroy();
    await customer.publish(1);
    const blocksBefore = await countBlocks();
    outbox = open();
    const claimed = await claims().claimNew([ref], spans.of([ref]), 60);
    await outbox.destroy();
    assert.equal(claimed.length, 1);
    const read = (await countBlocks()) - blocksBefore;
    assert.ok(read <= BLOCKS_MAX, `${read} blocks`);
    await dump.rollback();
  });

  async function countBlocks(): Promise<number> {
    const [row] = await query<{ blocks: number }>(
      dms.service.sql,
      `select pg_stat_clear_snapshot(), sum(heap_blks_hit + heap_blks_read)::float8 as blocks
       from pg_statio_user_tables where relname like 'deliveries_%'`,
    );
    return row?.blocks ?? 0;
  }
});

/** Events like one of the customer, published an hour ago, and announced by nothing. */
async function addOld(
  sql: TestService['service']['sql'],
  { customer, endpoint, count }: { customer: Customer; endpoint: Endpoint; count: number },
): Promise<void> {
  await query(
    sql,
    `with e as materialized (
       select uuidv7(interval '-1 hour') as id, uuidv7(interval '-1 hour') as delivery_id from generate_series(1, ?)
     ), events as (
       insert into events (id, organization_id, type, body)
       select e.id, like_this.organization_id, like_this.type, like_this.body from e
       cross join (select * from events where organization_id = ? limit 1) as like_this
     )
     insert into deliveries (id, endpoint_id, organization_id, event_id, event_type, state)
     select delivery_id, ?, ?, id, 'config.applied', 'pending' from e`,
    [count, customer.id, endpoint.id, customer.id],
  );
}
