/** Operations of customers on deliveries: list, resend, replay, and test an endpoint. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { query } from '../../src/db/query.ts';
import { createDeliveriesRepository } from '../../src/deliveries/deliveries.repository.ts';
import type { Answer, Client } from '../support/client.ts';
import { eventually } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import {
  addCustomer,
  type DeliveryItem,
  type Endpoint,
  pause,
  QUICK,
  QUICK_PLAN,
  useCustomer,
} from './harness.ts';

const TICK_MS = 150;

/** Half of the limit of a process. */
const TESTS_OF_ORGANIZATION = 32;

describe('Operations on deliveries', () => {
  const dms = useService({
    // The clock of this process, which times of the service are compared with.
    now: () => new Date(),
    settings: {
      webhooks: {
        ...QUICK,
        drainTickMs: TICK_MS,
        drainPerSecondMax: 4,
      },
    },
    deliveryPlan: { ...QUICK_PLAN, scheduleMs: [0, 50], probePlan: { firstMs: 50, share: 0, maxMs: 50 } },
  });
  const customer = useCustomer(dms);
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await customer.unsubscribeAll();
    await receiver.stop();
  });

  const failing = () => receiver.answer((response) => response.writeHead(500).end());
  const well = () => receiver.answer((response) => response.writeHead(204).end());
  /** A delivery that is refused for an hour, and has opened the breaker. */
  async function withRefused() {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => response.writeHead(503, { 'retry-after': '3600' }).end());
    await customer.publish(1);
    const [first] = await endpoint.until(([only]) => only?.attemptCount === 1);
    await eventually(endpoint.breaker, (breaker) => breaker === 'open');
    return { endpoint, id: first?.id ?? '' };
  }
  /** Holds all answers until the end. */
  function holdAnswers() {
    const open = new Set<ServerResponse>();
    let most = 0;
    receiver.answer((response) => {
      open.add(response);
      most = Math.max(most, open.size);
      response.once('close', () => open.delete(response));
    });
    return {
      most: () => most,
      end() {
        well();
        for (const response of open) response.writeHead(204).end();
      },
    };
  }
  const idsSeen = (from = 0) => receiver.received.slice(from).map(({ headers }) => headers['webhook-id']);

  async function withFailed(count: number): Promise<{ endpoint: Endpoint; items: DeliveryItem[] }> {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.publish(count);
    const items = await endpoint.untilAll('failed', count);
    // Otherwise the breaker might close after the replay, and due retries would be sent without pacing.
    await eventually(endpoint.breaker, (breaker) => breaker === 'closed');
    well();
    return { endpoint, items };
  }

  async function withDelivered(count: number): Promise<{ endpoint: Endpoint; items: DeliveryItem[] }> {
    const endpoint = await customer.subscribe(receiver.url);
    await customer.publish(count);
    return { endpoint, items: await endpoint.untilAll('delivered', count) };
  }

  /** As after two failed attempts, without their time. */
  async function withFailedBefore(count: number): Promise<{ endpoint: Endpoint; items: DeliveryItem[] }> {
    const { endpoint, items } = await withDelivered(count);
    await query(
      dms.service.sql,
      `update deliveries set state = 'failed', attempt_count = 2, delivered_at = null, first_attempt_duration_ms = null
       where organization_id = ? and endpoint_id = ?`,
      [customer.id, endpoint.id],
    );
    return { endpoint, items };
  }

  const resend = (endpoint: Endpoint, id: string) =>
    customer.api.post(`${endpoint.path}/deliveries/${id}/resend`);
  const replay = (endpoint: Endpoint, body: object) => customer.api.post(`${endpoint.path}/replay`, body);
  const EVER_SINCE = '2020-01-01T00:00:00Z';

  it('lists deliveries newest first, by page and by state', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    for (let count = 0; count < 5; count++) await customer.publish(1);
    const all = await endpoint.untilAll('delivered', 5);
    assert.deepEqual(
      all,
      [...all].sort((a, b) => (a.id < b.id ? 1 : -1)),
    );
    for (const { eventType, attemptCount, nextAttemptAt, lastStatusCode, lastError } of all) {
      assert.deepEqual(
        [eventType, attemptCount, nextAttemptAt, lastStatusCode, lastError],
        ['config.applied', 1, null, 204, null],
      );
    }
    const seen: DeliveryItem[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const { body, headers } = await customer.api.get(`${endpoint.path}/deliveries${query}`);
      seen.push(...body.items);
      cursor = body.nextCursor;
      assert.equal(headers.link === undefined, cursor === null);
    } while (cursor !== null);
    assert.deepEqual(seen, all);
    for (const state of ['pending', 'delivered', 'retrying', 'held', 'failed', 'blocked', 'cancelled']) {
      const { body } = await customer.api.get(`${endpoint.path}/deliveries?state=${state}`);
      assert.equal(body.items.length, state === 'delivered' ? 5 : 0, state);
    }
    assert.equal((await customer.api.get(`${endpoint.path}/deliveries?state=sending`)).status, 400);
  });

  it('lists deliveries of one type of event, also with a state', async () => {
    const { endpoint, items } = await withDelivered(2);
    await dms.service
      .sql('deliveries')
      .where({ organization_id: customer.id, endpoint_id: endpoint.id, id: items[0]?.id })
      .update({ event_type: 'alert.created' });
    const typesOf = async (filter: string) => {
      const { body } = await customer.api.get(`${endpoint.path}/deliveries?${filter}`);
      return body.items.map(({ eventType }: DeliveryItem) => eventType);
    };
    assert.deepEqual(await typesOf('eventType=alert.created'), ['alert.created']);
    assert.deepEqual(await typesOf('eventType=alert.created&state=delivered'), ['alert.created']);
    assert.deepEqual(await typesOf('eventType=alert.created&state=failed'), []);
    assert.equal((await customer.api.get(`${endpoint.path}/deliveries?eventType=none`)).status, 400);
  });

  it('reads no more deliveries than its bound for a page of a rare type', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    for (let count = 0; count < 4; count++) await customer.publish(1);
    const all = await endpoint.untilAll('delivered', 4);
    const deliveries = createDeliveriesRepository(dms.service.sql);
    const ref = { organizationId: customer.id, endpointId: endpoint.id };
    const floor = await deliveries.findFloor(ref, null, 3);
    assert.equal(floor, all[2]?.id);
    const page = { states: null, eventType: 'config.applied', before: null, limit: 10 };
    const read = await deliveries.list(ref, { ...page, floor });
    assert.deepEqual(
      read.map(({ id }) => id),
      all.slice(0, 3).map(({ id }) => id),
    );
    assert.equal(await deliveries.findFloor(ref, floor, 3), null);
  });

  it('leads on to a delivered one behind ten thousand others, and reads no more than these for a page', async () => {
    const { endpoint, items: earlier } = await withDelivered(1);
    await query(
      dms.service.sql,
      `insert into deliveries (organization_id, endpoint_id, event_id, event_type, state)
       select ?, ?, uuidv7(), 'config.applied', 'failed' from generate_series(1, 10000)`,
      [customer.id, endpoint.id],
    );
    const path = `${endpoint.path}/deliveries?state=delivered&limit=1`;
    const { items, nextCursor } = (await customer.api.get(path)).body;
    assert.deepEqual(items, []);
    const next = (await customer.api.get(`${path}&cursor=${nextCursor}`)).body;
    assert.deepEqual([next.items[0]?.id, next.nextCursor], [earlier[0]?.id, null]);
  });

  it('lists and shows deliveries of events with any text', async () => {
    const { endpoint } = await withDelivered(1);
    const [event] = await query<{ serialNumber: string }>(
      dms.service.sql,
      `update events set body = replace(body, '"data":{', '"data":{"reason":"\\ud83e",')
       where organization_id = ? and id in (
         select event_id from deliveries where organization_id = ? and endpoint_id = ?
       ) returning serial_number as "serialNumber"`,
      [customer.id, customer.id, endpoint.id],
    );
    const { status, body } = await customer.api.get(`${endpoint.path}/deliveries`);
    assert.equal(status, 200);
    assert.equal(body.items[0].serialNumber, event?.serialNumber);
    assert.equal(typeof event?.serialNumber, 'string');
    assert.equal(body.items[0].deliveredAt, body.items[0].lastAttemptAt);
    assert.notEqual(body.items[0].deliveredAt, null);
    assert.equal((await customer.api.get(`${endpoint.path}/deliveries/${body.items[0].id}`)).status, 200);
  });

  it('shows a delivery with its payload and every attempt', async () => {
    const { endpoint } = await withFailed(1);
    const { payload, attempts, state, deliveredAt } = await endpoint.delivery();
    assert.deepEqual([state, deliveredAt], ['failed', null]);
    assert.deepEqual(payload, JSON.parse(receiver.received[0]?.body ?? ''));
    assert.deepEqual(
      attempts.map(({ number, statusCode, error, responseExcerpt }) => [
        number,
        statusCode,
        error,
        responseExcerpt,
      ]),
      [1, 2].map((number) => [number, 500, 'the receiver answered 500', '']),
    );
    for (const { at, durationMs } of attempts) assert.ok(Date.parse(at) <= Date.now() && durationMs >= 0);
  });

  it('shows the newest hundred attempts of a delivery that was sent more often, oldest first', async () => {
    const { endpoint, items } = await withFailed(1);
    await query(
      dms.service.sql,
      `insert into delivery_attempts (organization_id, delivery_id, attempt_number, attempted_at, duration_ms)
       select ?, ?, number, now(), 1 from generate_series(3, 150) as number`,
      [customer.id, items[0]?.id ?? ''],
    );
    const { attempts } = await endpoint.delivery();
    assert.deepEqual(
      attempts.map(({ number }) => number),
      Array.from({ length: 100 }, (_, index) => 51 + index),
    );
  });

  it('resends a failed or delivered delivery with the same webhook-id', async () => {
    const { endpoint, items } = await withFailed(1);
    const id = items[0]?.id ?? '';
    const answer = await resend(endpoint, id);
    assert.deepEqual([answer.status, answer.body.id, answer.body.eventId], [202, id, items[0]?.eventId]);
    const [delivered] = await endpoint.untilAll('delivered', 1);
    assert.deepEqual([delivered?.id, delivered?.attemptCount], [id, 3], 'the row is the same');
    const { deliveredAt, attempts } = await endpoint.delivery();
    assert.equal(deliveredAt, attempts[2]?.at, 'when the attempt that succeeded was made');
    assert.equal((await resend(endpoint, id)).status, 202);
    await receiver.until(4);
    assert.deepEqual(new Set(idsSeen()), new Set([items[0]?.eventId]));
  });

  it('resends no delivery that was attempted a thousand times', async () => {
    const { endpoint, items } = await withDelivered(1);
    await query(
      dms.service.sql,
      'update deliveries set attempt_count = 1000 where organization_id = ? and endpoint_id = ?',
      [customer.id, endpoint.id],
    );
    const { status, text } = await resend(endpoint, items[0]?.id ?? '');
    assert.equal(status, 409, text);
    assert.match(text, /attempted 1,000 times/);
    const { state } = await endpoint.delivery();
    assert.equal(state, 'delivered');
  });

  it('gives a delivery that is sent again no reason of a failure when its latest attempt has succeeded', async () => {
    const { endpoint, items } = await withDelivered(1);
    const { body } = await resend(endpoint, items[0]?.id ?? '');
    assert.deepEqual([body.state, body.reason], ['retrying', null]);
  });

  it('says of a failed delivery that was delivered before that its latest attempt failed', async () => {
    const { endpoint, items } = await withDelivered(1);
    receiver.answer((response) => response.writeHead(410).end());
    await resend(endpoint, items[0]?.id ?? '');
    const [failed] = await endpoint.untilAll('failed', 1);
    assert.equal(failed?.reason, 'the latest attempt failed, and none is left: the receiver answered 410');
  });

  it('resends at once while the breaker is open, and answers 409 for a disabled endpoint', async () => {
    const { endpoint, id } = await withRefused();
    assert.equal(receiver.received.length, 1);
    well();
    assert.equal((await resend(endpoint, id)).status, 202);
    await endpoint.untilAll('delivered', 1);
    await endpoint.change({ status: 'disabled' });
    const refused = await resend(endpoint, id);
    assert.equal(refused.status, 409, refused.text);
  });

  it('sends what waits for a probe once a resend is delivered, and shows the webhook as healthy', async () => {
    const { endpoint, id } = await withRefused();
    await customer.publish(1);
    well();
    await resend(endpoint, id);
    await endpoint.untilAll('delivered', 2);
    await eventually(endpoint.view, ({ health }) => health.state === 'healthy');
  });

  it('replays failed deliveries once each, with the same webhook-ids, at a growing pace', async () => {
    const { endpoint, items } = await withFailedBefore(9);
    const before = receiver.received.length;
    const { status, body } = await replay(endpoint, { since: EVER_SINCE });
    assert.deepEqual([status, body], [202, { queued: 9 }]);
    await endpoint.untilAll('delivered', 9);
    assert.deepEqual([...idsSeen(before)].sort(), items.map(({ eventId }) => eventId).sort());
    const times = receiver.received.slice(before).map(({ at }) => at);
    // 1 + 2 + 4 + 2 requests take three ticks, some of which a busy machine may merge; without pacing there
    // would be none.
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) >= TICK_MS, 'paced');
    assert.deepEqual((await replay(endpoint, { since: EVER_SINCE })).body, { queued: 0 });
    assert.deepEqual((await replay(endpoint, { since: EVER_SINCE, states: ['delivered'] })).body, {
      queued: 9,
    });
    await endpoint.until((all) => all.every(({ attemptCount }) => attemptCount === 4));
  });

  it('retries what waits for its next attempt while a replay is drained', async () => {
    const { endpoint, items } = await withDelivered(2);
    await query(
      dms.service.sql,
      `update deliveries set state = 'retrying', next_attempt_at = now() + interval '1 hour', delivered_at = null,
         first_attempt_duration_ms = null
       where organization_id = ? and endpoint_id = ? and id = ?`,
      [customer.id, endpoint.id, items[0]?.id],
    );
    // The drain goes on while the receiver has not answered.
    const held = holdAnswers();
    await replay(endpoint, { since: EVER_SINCE, states: ['delivered'] });
    await receiver.until(3);
    assert.equal((await customer.api.post(`${endpoint.path}/retry`)).status, 200);
    held.end();
    await endpoint.untilAll('delivered', 2);
  });

  it('gives replayed deliveries the whole retry schedule', async () => {
    const { endpoint } = await withFailed(1);
    failing();
    await replay(endpoint, { since: EVER_SINCE });
    const [again] = await endpoint.until(([only]) => only?.state === 'failed' && only.attemptCount >= 4);
    assert.equal(again?.attemptCount, 4);
  });

  it('replays only the time span and the states of the request', async () => {
    const { endpoint } = await withFailedBefore(2);
    const between = new Date(Date.now() + 1).toISOString();
    await pause(20);
    await customer.publish(1);
    await endpoint.until((items) => items.some(({ state }) => state === 'delivered'));
    const queued = async (body: object) => (await replay(endpoint, body)).body.queued;
    assert.equal(await queued({ since: between }), 0);
    assert.equal(await queued({ since: EVER_SINCE, until: '2020-01-02T00:00:00Z' }), 0);
    assert.equal(await queued({ since: '0001-01-01T00:00:00Z', until: '1970-01-01T00:00:00Z' }), 0);
    assert.equal(await queued({ since: EVER_SINCE, states: ['blocked', 'cancelled'] }), 0);
    assert.equal(await queued({ since: between, states: ['delivered', 'failed'] }), 1);
    await endpoint.until((items) => items[0]?.attemptCount === 2 && items[0].state === 'delivered');
    assert.equal(await queued({ since: '0001-01-01T00:00:00Z', until: between }), 2);
    await endpoint.untilAll('delivered', 3);
  });

  it('refuses a replay of an empty span, or for a disabled endpoint', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    assert.equal((await replay(endpoint, { since: EVER_SINCE, until: EVER_SINCE })).status, 400);
    await endpoint.change({ status: 'disabled' });
    assert.equal((await replay(endpoint, { since: EVER_SINCE })).status, 409);
  });

  it('sends one test, to a disabled endpoint too, and queues nothing', async () => {
    const endpoint = await customer.subscribe(receiver.url, { status: 'disabled' });
    const { delivered, statusCode, durationMs, error } = await endpoint.test();
    assert.deepEqual([delivered, statusCode, error], [true, 204, null]);
    assert.ok(durationMs >= 0);
    assert.equal(receiver.received[0]?.event.type, 'webhook.test');
    assert.ok(Date.parse(receiver.received[0]?.event.timestamp ?? '') <= Date.now());
    failing();
    assert.equal((await endpoint.test()).delivered, false);
    assert.deepEqual(await endpoint.deliveries(), []);
    assert.equal(receiver.received.length, 2, 'once each');
  });

  it('keeps tests to the limit of requests in flight to an endpoint, and bounds concurrent tests', async () => {
    const endpoint = await customer.subscribe(receiver.url, { events: ['device.online'] });
    const held = holdAnswers();
    const newClient = async () => customer.with((await dms.issueKey(customer.id, 'customer')).token);
    const clients = await Promise.all(Array.from({ length: 8 }, newClient));
    const refused: Answer[] = [];
    const test = async ({ post }: Client): Promise<Answer> => {
      const answer = await post(`${endpoint.path}/test`);
      if (answer.status === 429) refused.push(answer);
      return answer;
    };
    const tests = clients.flatMap((client) => Array.from({ length: 9 }, () => test(client)));
    await eventually(
      async () => refused.length,
      (count) => count === tests.length - TESTS_OF_ORGANIZATION,
    );
    const other = await addCustomer(dms);
    const elsewhere = await other.subscribe(receiver.url);
    const ofOther = other.api.post(`${elsewhere.path}/test`);
    for (const { headers } of refused) assert.match(String(headers['retry-after']), /^\d+$/);
    await receiver.until(QUICK.perEndpointMax + 1);
    assert.equal(held.most(), QUICK.perEndpointMax + 1);
    held.end();
    const answers = await Promise.all(tests);
    assert.equal(answers.filter(({ status }) => status === 200).length, TESTS_OF_ORGANIZATION);
    assert.equal(held.most(), QUICK.perEndpointMax + 1);
    assert.equal((await ofOther).status, 200);
  });

  it('keeps the status of an endpoint when a test is answered with 410', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => response.writeHead(410).end());
    assert.equal((await endpoint.test()).statusCode, 410);
    const { status, disabledReason } = await endpoint.view();
    assert.deepEqual([status, disabledReason], ['active', null]);
  });
});
