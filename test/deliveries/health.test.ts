/** The health of endpoints: what is sent, what waits, and what is held while a receiver is in trouble. */
import assert from 'node:assert/strict';
import {
  createEndpointHealthRepository,
  type LastAttempt,
} from '../../src/endpoints/endpoint-health.repository.ts';
import { eventually } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { addCustomer, type Customer, type Endpoint, pause, QUICK, QUICK_PLAN } from './harness.ts';

const TICK_MS = 200;
const DRAIN_MAX = 8;
const PROBE_MS = 400;
const DISABLE_AFTER_MS = 2_500;
/** A busy machine may spoil a round; a request that hangs would spoil them all. */
const ROUNDS_MAX = 5;

/** No retry of its own comes in the way of what is measured. */
const SLOW_SCHEDULE = [0, 60_000, 60_000];

describe('An endpoint in trouble', () => {
  let dms: TestService;
  let customer: Customer;
  let receiver: Receiver;

  before(async () => {
    dms = await startService({
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
  const breakerIs = (endpoint: Endpoint, wanted: string) =>
    eventually(endpoint.breaker, (breaker) => breaker === wanted, { pauseMs: 10 });

  it('is sent to no more after five failures in a row: nothing but probes, one at a time', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.confirmChanges(5);
    await breakerIs(endpoint, 'open');
    const before = receiver.received.length;
    assert.ok(before >= 5, `${before} requests`);
    await customer.confirmChanges(8);
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

  it('is sent to no more when half of at least twenty attempts within a minute failed', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response, index) => response.writeHead(index % 2 === 0 ? 500 : 204).end());
    await customer.confirmChanges(18);
    await endpoint.until((items) => items.every(({ attemptCount }) => attemptCount === 1));
    assert.equal(await endpoint.breaker(), 'closed', 'half of eighteen');
    await customer.confirmChanges(4);
    await breakerIs(endpoint, 'open');
    assert.ok(receiver.received.length >= 20);
  });

  it('is sent to as before while less than half of its attempts fail', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response, index) => response.writeHead(index % 5 < 2 ? 500 : 204).end());
    await customer.confirmChanges(40);
    const items = await endpoint.until((all) => all.every(({ attemptCount }) => attemptCount === 1));
    assert.deepEqual([statesOf(items, 'retrying'), statesOf(items, 'delivered')], [16, 24]);
    assert.equal(await endpoint.breaker(), 'closed');
  });

  it('is drained oldest first when a probe gets through: 1, 2, 4 … a tick, never above the limit', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.confirmChanges(1);
    await breakerIs(endpoint, 'open');
    await customer.confirmChanges(30);
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
    assert.ok(soFar(0.9) <= 2 && soFar(1.9) <= 4 && soFar(2.9) <= 8, 'it begins slowly');
    // 1 + 2 + 4 + 8 + 8 + 7: thirty take six ticks at least.
    assert.ok((rest.at(-1)?.at ?? 0) - beginsAt >= TICK_MS * 4.5, 'and does not flood');
    const order = (await endpoint.deliveries()).map(({ eventId }) => eventId).reverse();
    const came = rest.map(({ headers }) => order.indexOf(String(headers['webhook-id'])));
    came.forEach((place, index) => {
      const laterOnes = came.slice(0, index).filter((each) => each > place + DRAIN_MAX);
      assert.deepEqual(laterOnes, [], 'oldest first, as far as one tick');
    });
    await breakerIs(endpoint, 'closed');
  });

  it('is left alone again when the drain meets a failure', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.confirmChanges(1);
    await breakerIs(endpoint, 'open');
    await customer.confirmChanges(20);
    let answered = 0;
    receiver.answer((response) => response.writeHead(++answered === 6 ? 500 : 204).end());
    await eventually(
      async () => answered,
      (count) => count >= 6,
      { pauseMs: 5 },
    );
    await breakerIs(endpoint, 'open');
    const atFailure = answered;
    assert.ok(atFailure <= 6 + 4, 'what was in flight at most');
    await pause(PROBE_MS / 2);
    assert.equal(answered, atFailure, 'nothing until the next probe');
    await eventually(endpoint.deliveries, (items) => statesOf(items, 'delivered') === 20);
    assert.equal(
      statesOf(await endpoint.deliveries(), 'retrying'),
      1,
      'the failed one waits for its own time',
    );
  });

  it('is not stopped for ever by the one event that its receiver never takes', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    let poison: string | undefined;
    let isAway = false;
    receiver.answer((response, _, { headers }) => {
      poison ??= String(headers['webhook-id']);
      const status = isAway ? 503 : headers['webhook-id'] === poison ? 500 : 204;
      response.writeHead(status).end();
    });
    await customer.confirmChanges(1);
    await endpoint.until(([only]) => only?.attemptCount === 1);
    isAway = true;
    await customer.confirmChanges(6);
    await breakerIs(endpoint, 'open');
    isAway = false;
    const items = await endpoint.until((all) => statesOf(all, 'delivered') === 6);
    assert.deepEqual(
      items.filter(({ state }) => state !== 'delivered').map(({ eventId }) => eventId),
      [poison],
    );
    await breakerIs(endpoint, 'closed');
  });

  const statesOf = (items: Array<{ state: string }>, wanted: string) =>
    items.filter(({ state }) => state === wanted).length;

  it('is tried at its new url for what is queued', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const other = await startReceiver();
    failing(503);
    await customer.confirmChanges(3);
    await breakerIs(endpoint, 'open');
    await endpoint.change({ url: other.url });
    await endpoint.untilAll('delivered', 3);
    assert.ok(other.received.length >= 3);
    await other.stop();
  });

  it('that is deleted cancels its queue', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.confirmChanges(3);
    await breakerIs(endpoint, 'open');
    const sent = receiver.received.length;
    assert.equal((await customer.api.delete(endpoint.path)).status, 204);
    await pause(PROBE_MS * 2);
    assert.ok(receiver.received.length <= sent + 1, 'at most what was on its way');
    const { rows } = await dms.service.sql.raw(
      'select distinct state from deliveries where endpoint_id = ?',
      [endpoint.id],
    );
    assert.deepEqual(rows, [{ state: 'cancelled' }]);
  });

  it('that the customer disables holds its queue, takes on nothing new, and drains when it is enabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.confirmChanges(1);
    await breakerIs(endpoint, 'open');
    await customer.confirmChanges(5);
    await endpoint.change({ status: 'disabled' });
    assert.equal((await endpoint.view()).disabledReason, 'customer');
    await endpoint.untilAll('held', 6);
    await customer.confirmChanges(2);
    const sent = receiver.received.length;
    await pause(PROBE_MS * 1.5);
    assert.equal(receiver.received.length, sent);
    well();
    await endpoint.change({ status: 'active' });
    await endpoint.untilAll('delivered', 6);
    const times = receiver.received.slice(sent).map(({ at }) => at);
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) >= TICK_MS, 'paced: 1, 2, 3');
  });

  it('that is disabled while it is slow gets no more than what was on its way', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 400));
    await customer.confirmChanges(40);
    await receiver.until(QUICK.perEndpointMax);
    const sent = receiver.received.length;
    await endpoint.change({ status: 'disabled' });
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
    assert.equal(receiver.received.length, 40, 'and none twice');
  });

  it('has not been failing since before its last success, however late that success is noted', async () => {
    const endpoints = createEndpointHealthRepository(dms.service.sql);
    const { id } = await customer.subscribe(receiver.url, { events: ['device.online'] });
    const endpoint = { organizationId: customer.id, endpointId: id };
    const note = (second: number, status: LastAttempt['status']) =>
      endpoints.recordLastAttempts([
        { ...endpoint, attemptedAt: new Date(second * 1_000), status, statusCode: null, error: null },
      ]);
    const failingSince = async () =>
      (await endpoints.findActiveState(endpoint))?.failingSince?.getTime() ?? null;
    await note(10, 'retrying');
    await note(30, 'retrying');
    assert.equal(await failingSince(), 10_000);
    await note(20, 'delivered');
    assert.equal(await failingSince(), 30_000, 'the success of second 20 was noted after the failure of 30');
    await note(15, 'retrying');
    assert.equal(await failingSince(), 30_000);
    const { body } = await customer.api.get(`/webhooks/${id}`);
    assert.equal(body.status, 'active');
    await note(40, 'delivered');
    assert.equal(await failingSince(), null);
    await note(35, 'retrying');
    assert.equal(await failingSince(), null, 'an older attempt never overwrites a newer one');
  });

  it('that is gone holds its queue and takes on nothing new', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(410);
    await customer.confirmChanges(1);
    await endpoint.untilDisabled('gone');
    await customer.confirmChanges(2);
    assert.equal((await endpoint.delivery()).state, 'failed');
  });

  it('that hangs takes up its own places and no others', async () => {
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
    await customer.confirmChanges(60);
    await endpoint.untilAll('delivered', 60);
    assert.ok(most <= QUICK.perEndpointMax, `${most} in flight`);
    assert.ok(most >= QUICK.perEndpointMax / 2, `${most} in flight`);
  });
});

describe('Ten endpoints that hang', () => {
  it('never delay another one: its p95 stays within twice that of quiet times', async () => {
    const dms = await startService({
      settings: { webhooks: { ...QUICK, deadlineMs: 20_000, leaseSeconds: 60, perEndpointMax: 4 } },
      deliveryPlan: QUICK_PLAN,
    });
    const receiver = await startReceiver();
    const alone = await addCustomer(dms);
    await alone.subscribe(receiver.url);
    await latencies(alone, receiver, 8);
    const quiet = await latencies(alone, receiver, 32);
    const dead = await startReceiver();
    dead.answer(() => {});
    for (let count = 0; count < 10; count++) await alone.subscribe(`${dead.url}/${count}`);
    await alone.confirmChanges(10);
    await eventually(
      async () => dead.received.length,
      (count) => count >= 10,
    );
    const limitMs = 2 * p95(quiet);
    const rounds: number[] = [];
    while (rounds.length < ROUNDS_MAX && !rounds.some((ms) => ms <= limitMs)) {
      rounds.push(p95(await latencies(alone, receiver, 32)));
    }
    assert.ok(
      Math.min(...rounds) <= limitMs,
      `p95 ${rounds} ms among ten that hang, ${p95(quiet)} ms without`,
    );
    assert.equal(dead.received.length >= 10 * 4, true, 'all that they may hold hang');
    await dead.stop();
    await dms.stop();
    await receiver.stop();
  });

  /** From the commit, as the event tells it, to the receiver. */
  async function latencies(whose: Customer, receiver: Receiver, count: number): Promise<number[]> {
    const first = receiver.received.length;
    for (let done = 4; done <= count; done += 4) {
      await whose.confirmChanges(4);
      await receiver.until(first + done);
    }
    const { received } = receiver;
    return received.slice(first).map(({ at, event }) => at - Date.parse(event.timestamp));
  }

  const p95 = (values: number[]) =>
    [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] as number;
});

describe('An endpoint that fails for too long', () => {
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

  it('is disabled; what waits and what is new are held, and released when it is enabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => response.writeHead(500).end());
    // One after the other, so that there is always something to try.
    while ((await endpoint.view()).status === 'active') {
      await customer.confirmChanges(2);
      await pause(200);
    }
    assert.equal((await endpoint.view()).disabledReason, 'failing');
    await customer.confirmChanges(3);
    const items = await endpoint.until((all) =>
      all.every(({ state }) => state === 'held' || state === 'failed'),
    );
    assert.ok(
      items.slice(0, 3).every(({ state }) => state === 'held'),
      'new ones are held as well',
    );
    const held = items.filter(({ state }) => state === 'held').length;
    const sent = receiver.received.length;
    receiver.answer((response) => response.writeHead(204).end());
    await endpoint.change({ status: 'active' });
    await endpoint.until((all) => all.every(({ state }) => state === 'delivered' || state === 'failed'));
    assert.equal(receiver.received.length - sent, held);
  });
});
