/** The health of endpoints: what is sent, what waits, and what is held while a receiver fails. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { query } from '../../src/db/query.ts';
import { countAttempt } from '../../src/endpoints/attempt-counts.ts';
import { createBreakerRepository } from '../../src/endpoints/breaker.repository.ts';
import {
  createEndpointHealthRepository,
  type LastAttempt,
} from '../../src/endpoints/endpoint-health.repository.ts';
import { createLog } from '../../src/process/log.ts';
import { eventually } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { addCustomer, type Customer, type Endpoint, pause, QUICK, QUICK_PLAN } from './harness.ts';

const TICK_MS = 200;
const DRAIN_MAX = 8;
const PROBE_MS = 400;
const DISABLE_AFTER_MS = 2_500;
/** A busy machine may slow a round down; waiting for hanging requests would slow all of them down. */
const ROUNDS_MAX = 5;
const BUSY_MS = 250;

/** No retry falls into the time that is measured. */
const SLOW_SCHEDULE = [0, 60_000, 60_000];

describe('The health of an endpoint', () => {
  let dms: TestService;
  let customer: Customer;
  let receiver: Receiver;
  const lines: Array<{ msg: string; endpointId?: string }> = [];

  before(async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    dms = await startService({
      log: createLog('info', sink),
      settings: {
        webhooks: {
          ...QUICK,
          drainTickMs: TICK_MS,
          drainPerSecondMax: DRAIN_MAX,
        },
      },
      deliveryPlan: {
        ...QUICK_PLAN,
        scheduleMs: SLOW_SCHEDULE,
        probePlan: { firstMs: PROBE_MS, share: 0, maxMs: PROBE_MS },
      },
    });
    customer = await addCustomer(dms);
  });
  after(() => dms.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const failing = (status = 500) => receiver.answer((response) => response.writeHead(status).end());
  const well = () => receiver.answer((response) => response.writeHead(204).end());
  const openings = ({ id }: Endpoint) =>
    lines.filter(({ msg, endpointId }) => endpointId === id && msg === 'webhook.breaker_opened').length;
  const breakerIs = (endpoint: Endpoint, wanted: string) =>
    eventually(endpoint.breaker, (breaker) => breaker === wanted, { pauseMs: 10 });

  it('sends nothing after a refusal, however many events are published until it is recorded', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    const publishing = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let round = 0; round < 15; round++) await customer.publish(1);
      }),
    );
    await breakerIs(endpoint, 'open');
    await publishing;
    const probes = Math.ceil((Date.now() - (receiver.received[0]?.at ?? 0)) / PROBE_MS);
    const sent = receiver.received.length;
    assert.ok(sent <= QUICK.perEndpointMax + probes, `${sent} requests, of which ${probes} may be probes`);
  });

  it('sends nothing but one probe at a time after five failures in a row', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.publish(5);
    await breakerIs(endpoint, 'open');
    const before = receiver.received.length;
    assert.ok(before >= 5, `${before} requests`);
    await customer.publish(8);
    await receiver.until(before + 3);
    const probes = receiver.received.slice(before);
    probes.slice(1).forEach(({ at }, index) => {
      const apartMs = at - (probes[index]?.at ?? 0);
      assert.ok(apartMs >= PROBE_MS * 0.95, `${apartMs} ms between two probes`);
    });
    const items = await endpoint.deliveries();
    assert.equal(items.length, 13);
    assert.ok(
      items.filter(({ attemptCount }) => attemptCount === 0).length >= 8 - probes.length - 1,
      'new ones wait',
    );
    await customer.api.delete(endpoint.path);
  });

  it('opens the breaker when half of at least twenty attempts within a minute failed', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response, index) => response.writeHead(index % 2 === 0 ? 500 : 204).end());
    await customer.publish(18);
    await endpoint.until((items) => items.every(({ attemptCount }) => attemptCount === 1));
    assert.equal(await endpoint.breaker(), 'closed', 'half of eighteen');
    await customer.publish(4);
    await breakerIs(endpoint, 'open');
    assert.ok(receiver.received.length >= 20);
  });

  it('drains oldest first after a successful probe, with 1, 2, 4 … requests a tick up to the limit', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(1);
    await breakerIs(endpoint, 'open');
    await customer.publish(30);
    const before = receiver.received.length;
    well();
    await endpoint.untilAll('delivered', 31, 25_000);
    const drained = receiver.received.slice(before).filter(({ at }) => at > 0);
    const [probe, ...rest] = drained;
    const beginsAt = rest[0]?.at ?? 0;
    assert.ok(beginsAt >= (probe?.at ?? 0));
    for (const { at } of rest) {
      const inTick = rest.filter((each) => each.at >= at && each.at < at + TICK_MS * 0.9).length;
      assert.ok(inTick <= DRAIN_MAX + 1, `${inTick} requests within a tick`);
    }
    const soFar = (ticks: number) => rest.filter(({ at }) => at < beginsAt + ticks * TICK_MS).length;
    assert.ok(soFar(0.9) <= 2 && soFar(1.9) <= 4 && soFar(2.9) <= 8, 'starts slowly');
    // 1 + 2 + 4 + 8 + 8 + 7: thirty requests take at least six ticks.
    assert.ok((rest.at(-1)?.at ?? 0) - beginsAt >= TICK_MS * 4.5, 'never faster than the limit');
    const order = (await endpoint.deliveries()).map(({ eventId }) => eventId).reverse();
    const came = rest.map(({ headers }) => order.indexOf(String(headers['webhook-id'])));
    came.forEach((position, index) => {
      const laterOnes = came.slice(0, index).filter((each) => each > position + DRAIN_MAX);
      assert.deepEqual(laterOnes, [], 'oldest first, within a tick');
    });
    await breakerIs(endpoint, 'closed');
  });

  it('drains on after a single failure, which waits for its own retry', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(1);
    await breakerIs(endpoint, 'open');
    await customer.publish(20);
    let answered = 0;
    receiver.answer((response) => response.writeHead(++answered === 6 ? 500 : 204).end());
    await breakerIs(endpoint, 'closed');
    const items = await endpoint.deliveries();
    assert.deepEqual([statesOf(items, 'delivered'), statesOf(items, 'retrying')], [20, 1]);
    assert.equal(answered, 21, 'none was sent twice');
    assert.equal(openings(endpoint), 1, 'the breaker did not open again');
  });

  it('stops the drain after five failures in a row, and drains again after the next probe', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(1);
    await breakerIs(endpoint, 'open');
    await customer.publish(40);
    let answered = 0;
    const isAway = () => answered > 6 && answered <= 11;
    receiver.answer((response) => {
      answered++;
      response.writeHead(isAway() ? 500 : 204).end();
    });
    await eventually(
      async () => answered,
      (count) => count >= 11,
      { pauseMs: 5 },
    );
    await breakerIs(endpoint, 'open');
    assert.ok(answered <= 11 + DRAIN_MAX, `${answered} answers: no more than what was in flight`);
    await breakerIs(endpoint, 'closed');
    // What failed before the second probe is backlog as well.
    await endpoint.untilAll('delivered', 41);
  });

  it('forgets the failures before a recovery that another process has found', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.publish(5);
    // The log follows the commit.
    await eventually(
      async () => openings(endpoint),
      (count) => count === 1,
      { pauseMs: 10 },
    );
    // As the other process leaves it when its probe was delivered and nothing else was queued.
    await query(
      dms.service.sql,
      `update endpoints set breaker = 'closed', next_probe_at = null, recovered_at = now()
       where organization_id = ? and id = ?`,
      [customer.id, endpoint.id],
    );
    await customer.publish(1);
    await endpoint.until(([newest]) => newest?.state === 'retrying');
    await pause(TICK_MS);
    assert.deepEqual([await endpoint.breaker(), openings(endpoint)], ['closed', 1]);
    await customer.api.delete(endpoint.path);
  });

  it('stays closed when a failure from before its recovery is recorded after it', async () => {
    const { id, path } = await customer.subscribe(receiver.url);
    const endpoint = { organizationId: customer.id, endpointId: id };
    const breakers = createBreakerRepository(dms.service.sql);
    const endpoints = createEndpointHealthRepository(dms.service.sql);
    const nextProbeAt = new Date(Date.now() + 60_000);
    const open = async (isOutage: boolean, recoveredAt: Date | null) => [
      await breakers.open(endpoint, { nextProbeAt, isOutage, recoveredAt }),
      (await endpoints.findActiveState(endpoint))?.breaker,
    ];
    assert.deepEqual(await open(true, null), [true, 'open']);
    await breakers.beginDrain(endpoint);
    await breakers.close(endpoint, 'draining');
    const recoveredAt = (await endpoints.findActiveState(endpoint))?.recoveredAt ?? null;
    for (const isOutage of [true, false]) assert.deepEqual(await open(isOutage, null), [false, 'closed']);
    assert.deepEqual(await open(true, recoveredAt), [true, 'open']);
    await customer.api.delete(path);
  });

  it('ends the drain when it has caught up, although new deliveries keep coming', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(1);
    await breakerIs(endpoint, 'open');
    await customer.publish(10);
    well();
    let isOver = false;
    const publishing = (async () => {
      for (; !isOver; await pause(TICK_MS / 4)) await customer.publish(1);
    })();
    await breakerIs(endpoint, 'closed');
    isOver = true;
    await publishing;
  });

  it('drains past an event that the receiver never accepts', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    let rejected: string | undefined;
    let isAway = false;
    receiver.answer((response, _, { headers }) => {
      rejected ??= String(headers['webhook-id']);
      const status = isAway ? 503 : headers['webhook-id'] === rejected ? 500 : 204;
      response.writeHead(status).end();
    });
    await customer.publish(1);
    await endpoint.until(([only]) => only?.attemptCount === 1);
    isAway = true;
    await customer.publish(6);
    await breakerIs(endpoint, 'open');
    isAway = false;
    const items = await endpoint.until((all) => statesOf(all, 'delivered') === 6);
    assert.deepEqual(
      items.filter(({ state }) => state !== 'delivered').map(({ eventId }) => eventId),
      [rejected],
    );
    await breakerIs(endpoint, 'closed');
  });

  const statesOf = (items: Array<{ state: string }>, wanted: string) =>
    items.filter(({ state }) => state === wanted).length;

  it('sends what is queued to a changed URL without waiting for the probe', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const other = await startReceiver();
    failing(503);
    await customer.publish(3);
    await breakerIs(endpoint, 'open');
    await endpoint.change({ url: other.url });
    await endpoint.untilAll('delivered', 3);
    assert.ok(other.received.length >= 3);
    await other.stop();
  });

  it('cancels what is queued for a deleted endpoint', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(3);
    await breakerIs(endpoint, 'open');
    const sent = receiver.received.length;
    assert.equal((await customer.api.delete(endpoint.path)).status, 204);
    await pause(PROBE_MS * 2);
    assert.ok(receiver.received.length <= sent + 1, 'no more than what was in flight');
    const states = await eventually(
      () =>
        query<{ state: string }>(
          dms.service.sql,
          'select distinct state from deliveries where organization_id = ? and endpoint_id = ?',
          [customer.id, endpoint.id],
        ),
      ([first]) => first?.state === 'cancelled',
    );
    assert.equal(states.length, 1);
  });

  it('holds the queue of an endpoint that its customer disabled, queues nothing new, and drains it when enabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(1);
    await breakerIs(endpoint, 'open');
    await customer.publish(5);
    await endpoint.change({ status: 'disabled' });
    assert.equal((await endpoint.view()).disabledReason, 'customer');
    await endpoint.untilAll('held', 6);
    await customer.publish(2);
    const sent = receiver.received.length;
    await pause(PROBE_MS * 1.5);
    assert.equal(receiver.received.length, sent);
    well();
    await endpoint.change({ status: 'active' });
    await endpoint.untilAll('delivered', 6);
    const times = receiver.received.slice(sent).map(({ at }) => at);
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) >= TICK_MS, 'paced: 1, 2, 3');
  });

  it('sends a slow endpoint no more than is in flight when it is disabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 400));
    await customer.publish(40);
    await receiver.until(QUICK.perEndpointMax);
    await endpoint.change({ status: 'disabled' });
    const sent = receiver.received.length;
    const items = await endpoint.until((all) =>
      all.every(({ state }) => state === 'held' || state === 'delivered'),
    );
    assert.ok(
      receiver.received.length <= sent + QUICK.perEndpointMax,
      `${receiver.received.length} requests`,
    );
    const faults = items.flatMap(({ lastError }) => lastError ?? []);
    assert.equal(statesOf(items, 'delivered'), receiver.received.length, faults.join());
    await endpoint.change({ status: 'active' });
    await endpoint.untilAll('delivered', 40, 25_000);
    assert.equal(receiver.received.length, 40, 'none twice');
  });

  it('never dates failing_since before the last success, even one that is recorded late', async () => {
    const endpoints = createEndpointHealthRepository(dms.service.sql);
    const { id } = await customer.subscribe(receiver.url, { events: ['device.online'] });
    const endpoint = { organizationId: customer.id, endpointId: id };
    const record = (second: number, status: LastAttempt['status']) =>
      endpoints.recordLastAttempts([
        {
          ...endpoint,
          attemptedAt: new Date(second * 1_000),
          status,
          statusCode: null,
          error: null,
          counts: countAttempt(status, 5),
        },
      ]);
    const failingSince = async () =>
      (await endpoints.findActiveState(endpoint))?.failingSince?.getTime() ?? null;
    await record(10, 'retrying');
    await record(30, 'retrying');
    assert.equal(await failingSince(), 10_000);
    await record(20, 'delivered');
    assert.equal(
      await failingSince(),
      30_000,
      'the failure of second 30 is newer than the success of second 20',
    );
    await record(15, 'retrying');
    assert.equal(await failingSince(), 30_000);
    const { body } = await customer.api.get(`/webhooks/${id}`);
    assert.equal(body.status, 'active');
    await record(40, 'delivered');
    assert.equal(await failingSince(), null);
    await record(35, 'retrying');
    assert.equal(await failingSince(), null, 'an older attempt never overwrites a newer one');
  });

  it('disables an endpoint that answers 410, fails that delivery, holds the others and queues nothing new', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(3);
    await breakerIs(endpoint, 'open');
    failing(410);
    await endpoint.untilDisabled('gone');
    await customer.publish(2);
    const items = await endpoint.until(
      (all) => statesOf(all, 'held') + statesOf(all, 'failed') === all.length,
    );
    assert.deepEqual([items.length, statesOf(items, 'failed')], [3, 1]);
    assert.equal(items.find(({ state }) => state === 'failed')?.lastStatusCode, 410);
  });

  it('sends at most the configured number of requests at a time to one endpoint', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    let inFlight = 0;
    let most = 0;
    receiver.answer((response) => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight--;
        response.writeHead(204).end();
      }, 150);
    });
    await customer.publish(60);
    await endpoint.untilAll('delivered', 60);
    assert.ok(most <= QUICK.perEndpointMax, `${most} in flight`);
    assert.ok(most >= QUICK.perEndpointMax / 2, `${most} in flight`);
  });
});

describe('Endpoints that hang', () => {
  it('delays no other endpoint, by far not for as long as they hang', async () => {
    const dms = await startService({
      settings: { webhooks: { ...QUICK, deadlineMs: 20_000, leaseSeconds: 60, perEndpointMax: 4 } },
      deliveryPlan: QUICK_PLAN,
    });
    const receiver = await startReceiver();
    const customer = await addCustomer(dms);
    await customer.subscribe(receiver.url);
    await latencies(customer, receiver, 8);
    const quiet = await latencies(customer, receiver, 32);
    const dead = await startReceiver();
    dead.answer(() => {});
    for (let count = 0; count < 10; count++) await customer.subscribe(`${dead.url}/${count}`);
    await customer.publish(10);
    await eventually(
      async () => dead.received.length,
      (count) => count >= 10,
    );
    // They hang for 20 s: what they delayed would be far beyond the noise of a busy machine.
    const limitMs = Math.max(2 * p95(quiet), BUSY_MS);
    const rounds: number[] = [];
    while (rounds.length < ROUNDS_MAX && !rounds.some((ms) => ms <= limitMs)) {
      rounds.push(p95(await latencies(customer, receiver, 32)));
    }
    assert.ok(
      Math.min(...rounds) <= limitMs,
      `p95 ${rounds} ms with ten that hang, ${p95(quiet)} ms without`,
    );
    assert.equal(dead.received.length >= 10 * 4, true, 'each has its maximum in flight');
    await dead.stop();
    await dms.stop();
    await receiver.stop();
  });

  /** From the timestamp of the event to its receipt. */
  async function latencies(customer: Customer, receiver: Receiver, count: number): Promise<number[]> {
    const first = receiver.received.length;
    for (let done = 4; done <= count; done += 4) {
      await customer.publish(4);
      await receiver.until(first + done);
    }
    const { received } = receiver;
    return received.slice(first).map(({ at, event }) => at - Date.parse(event.timestamp));
  }

  const p95 = (values: number[]) =>
    [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] as number;
});

describe('The limit of failing', () => {
  let dms: TestService;
  let customer: Customer;
  let receiver: Receiver;

  before(async () => {
    dms = await startService({
      settings: { webhooks: QUICK },
      deliveryPlan: { ...QUICK_PLAN, scheduleMs: [0, 100, 100], disableAfterMs: DISABLE_AFTER_MS },
    });
    customer = await addCustomer(dms);
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.stop();
    await dms.stop();
  });

  it('disables an endpoint that fails for too long, holds old and new deliveries, and releases them when enabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => response.writeHead(500).end());
    // Published one after the other, so that there is always something to attempt.
    while ((await endpoint.view()).status === 'active') {
      await customer.publish(2);
      await pause(200);
    }
    assert.equal((await endpoint.view()).disabledReason, 'failing');
    await customer.publish(3);
    const items = await endpoint.until((all) =>
      all.every(({ state }) => state === 'held' || state === 'failed'),
    );
    assert.ok(
      items.slice(0, 3).every(({ state }) => state === 'held'),
      'new deliveries are held as well',
    );
    const held = items.filter(({ state }) => state === 'held').length;
    const sent = receiver.received.length;
    receiver.answer((response) => response.writeHead(204).end());
    await endpoint.change({ status: 'active' });
    await endpoint.until((all) => all.every(({ state }) => state === 'delivered' || state === 'failed'));
    assert.equal(receiver.received.length - sent, held);
  });
});
