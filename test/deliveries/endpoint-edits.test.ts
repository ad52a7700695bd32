/**
 * Edits of endpoints write one row, for a queue of any length, and neither wait for events nor delay them.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createOutboxRepository } from '../../src/deliveries/outbox.repository.ts';
import { serializeEvent } from '../../src/events/event.ts';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.schemas.ts';
import { eventually } from '../support/fleet.ts';
import { useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { type Endpoint, QUICK, QUICK_PLAN, useCustomer } from './harness.ts';

const QUEUED = 1_200;
const PER_STATEMENT = 1_000;

describe('An edit of an endpoint', () => {
  const receiver = useReceiver();
  const dms = useService({ withWorker: false });
  const customer = useCustomer(dms);

  /** Queues this many deliveries at once, because it would take long through the API. */
  async function queue(endpoint: Endpoint, count: number, state = 'pending'): Promise<void> {
    await query(
      dms.service.sql,
      `with e as (
         insert into events (organization_id, id, type, body)
         select ?, uuidv7(), 'config.applied', body from events, generate_series(1, ?) limit ? returning id
       )
       insert into deliveries (organization_id, endpoint_id, event_id, event_type, state)
       select ?, ?, id, 'config.applied', ? from e`,
      [customer.id, count, count, customer.id, endpoint.id, state],
    );
  }

  /** Number of deliveries written by each transaction. */
  const writers = (endpoint: Endpoint) =>
    query<{ writer: string; state: string; count: number }>(
      dms.service.sql,
      `select xmin::text as writer, state, count(*) from deliveries where organization_id = ? and endpoint_id = ?
       group by 1, 2 order by 1`,
      [customer.id, endpoint.id],
    );

  async function countIn(endpoint: Endpoint, states: string[]): Promise<number> {
    const rows = (await writers(endpoint)).filter(({ state }) => states.includes(state));
    return rows.reduce((sum, { count }) => sum + count, 0);
  }

  async function withQueue(count: number, more: object = {}): Promise<Endpoint> {
    const endpoint = await customer.subscribe(receiver.url, more);
    await customer.publish(1);
    await queue(endpoint, count);
    return endpoint;
  }

  it('writes no delivery on disabling, enabling or deleting', async () => {
    const endpoint = await withQueue(50);
    const before = await writers(endpoint);
    await endpoint.change({ status: 'disabled' });
    assert.ok((await endpoint.deliveries()).every(({ state }) => state === 'held'));
    await endpoint.change({ status: 'active' });
    assert.ok((await endpoint.deliveries()).every(({ state }) => state === 'pending'));
    assert.equal((await customer.api.delete(endpoint.path)).status, 204);
    assert.deepEqual(await writers(endpoint), before);
  });

  it('shows and filters waiting deliveries by the status of the endpoint', async () => {
    const endpoint = await withQueue(2);
    const counts = async () => {
      const found: Record<string, number> = {};
      for (const state of ['pending', 'retrying', 'held', 'delivered'])
        found[state] = (
          await customer.api.get(`${endpoint.path}/deliveries?state=${state}`)
        ).body.items.length;
      return found;
    };
    await query(
      dms.service.sql,
      `update deliveries set state = 'retrying', next_attempt_at = now() where id in (
         select max(id::text)::uuid from deliveries where organization_id = ? and endpoint_id = ?)`,
      [customer.id, endpoint.id],
    );
    assert.deepEqual(await counts(), { pending: 2, retrying: 1, held: 0, delivered: 0 });
    await endpoint.change({ status: 'disabled' });
    assert.deepEqual(await counts(), { pending: 0, retrying: 0, held: 3, delivered: 0 });
    assert.ok((await endpoint.deliveries()).every(({ nextAttemptAt }) => nextAttemptAt === null));
    await customer.api.delete(endpoint.path);
  });

  it('waits for no event that is being stored, and delays none', async () => {
    const endpoint = await withQueue(1);
    const transact = createTransact(dms.service.sql);
    const type = 'config.applied';
    const body = serializeEvent({ type, timestamp: new Date(), data: EVENT_CATALOGUE[type].example });
    const event = { organizationId: customer.id, type, body };
    await transact(async ({ sql }) => {
      await createOutboxRepository(sql).insert([event]);
      // The event is not committed, so an edit that waited for it would never be answered.
      await endpoint.change({ status: 'disabled' });
      await endpoint.change({ url: `${receiver.url}/changed` });
    });
    await transact(async ({ sql }) => {
      await query(sql, 'select 1 from endpoints where organization_id = ? and id = ? for no key update', [
        customer.id,
        endpoint.id,
      ]);
      await transact((other) => createOutboxRepository(other.sql).insert([event]));
    });
    assert.equal((await customer.api.delete(endpoint.path)).status, 204);
  });

  it('makes a deleted endpoint invisible at once, and frees its place in the collection', async () => {
    const endpoint = await withQueue(3);
    const [first] = await endpoint.deliveries();
    const total = async () => (await customer.api.get('/webhooks')).body.totalItems;
    const before = await total();
    assert.equal((await customer.api.delete(endpoint.path)).status, 204);
    assert.equal(await total(), before - 1);
    const { api } = customer;
    const answers = await Promise.all([
      api.get(endpoint.path),
      api.patch(endpoint.path, { status: 'active' }),
      api.delete(endpoint.path),
      api.get(`${endpoint.path}/deliveries`),
      api.get(`${endpoint.path}/deliveries/${first?.id}`),
      api.post(`${endpoint.path}/deliveries/${first?.id}/resend`),
      api.post(`${endpoint.path}/replay`, { since: '2020-01-01T00:00:00Z' }),
      api.post(`${endpoint.path}/test`),
      api.post(`${endpoint.path}/rotate-secret`),
    ]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]));
    const queued = (await writers(endpoint)).length;
    await customer.publish(1);
    assert.equal((await writers(endpoint)).length, queued, 'nothing new is queued for it');
  });

  describe('with a worker', () => {
    let deleted: Endpoint;
    let replayed: Endpoint;

    before(async () => {
      [deleted, replayed] = await Promise.all([
        customer.subscribe(`${receiver.url}/deleted`, { events: ['device.online'] }),
        customer.subscribe(`${receiver.url}/replayed`, { events: ['device.online'] }),
      ]);
      await customer.publish(1);
      await Promise.all([queue(deleted, QUEUED), queue(replayed, QUEUED, 'failed')]);
      await customer.api.delete(deleted.path);
    });
    useService(() => ({
      databaseUrl: dms.settings.databaseUrl,
      settings: { taskQueue: dms.settings.taskQueue, webhooks: { ...QUICK, drainPerSecondMax: 1_000 } },
      deliveryPlan: QUICK_PLAN,
    }));

    const arrived = (path: string) => receiver.received.filter((each) => each.path.endsWith(path)).length;

    it('cancels the queue of a deleted endpoint in statements of a thousand rows at most', async () => {
      const rows = await eventually(
        () => writers(deleted),
        (all) => all.every(({ state }) => state === 'cancelled'),
      );
      assert.equal(await countIn(deleted, ['cancelled']), QUEUED);
      assert.ok(rows.length >= 2 && rows.every(({ count }) => count <= PER_STATEMENT), JSON.stringify(rows));
      assert.equal(arrived('/deleted'), 0);
    });

    it('queues a replay in parts, as the drain proceeds', async () => {
      const left: Array<Promise<number>> = [];
      const allArrived = new Promise<void>((resolve) => {
        let count = 0;
        receiver.answer((response, _index, { path }) => {
          response.writeHead(204).end();
          if (!path.endsWith('/replayed')) return;
          count++;
          if (count % 50 === 0) left.push(countIn(replayed, ['retrying', 'sending']));
          if (count === QUEUED) resolve();
        });
      });
      const { body } = await customer.api.post(`${replayed.path}/replay`, { since: '2020-01-01T00:00:00Z' });
      assert.deepEqual(body, { queued: QUEUED });
      await allArrived;
      const leftMost = Math.max(...(await Promise.all(left)));
      assert.ok(leftMost <= PER_STATEMENT, `${leftMost} queued at a time`);
      await eventually(
        () => countIn(replayed, ['delivered']),
        (count) => count === QUEUED,
      );
      assert.equal(arrived('/replayed'), QUEUED, 'each once');
      const spans = await query(dms.service.sql, 'select 1 from delivery_replays');
      assert.equal(spans.length, 0);
    });
  });
});
