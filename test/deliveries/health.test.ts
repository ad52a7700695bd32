/** The health of endpoints: deliveries that are sent, wait and are held while a receiver fails. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { query } from '../../src/db/query.ts';
import { createBreakerRepository } from '../../src/endpoints/breaker.repository.ts';
import { countAttempt } from '../../src/endpoints/endpoint.ts';
import {
  createEndpointHealthRepository,
  type LastAttempt,
} from '../../src/endpoints/endpoint-health.repository.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import { deliverWebhooksId } from '../../src/temporal/workflow-ids.ts';
import { eventually } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { addCustomer, type Customer, type Endpoint, QUICK } from './harness.ts';

/** Shorter than in production, where it is a second. */
const TICK_MS = 100;
const DRAIN_MAX = 8;
const IN_FLIGHT_MAX = 4;
const WEBHOOKS = {
  ...QUICK,
  perEndpointMax: IN_FLIGHT_MAX,
  drainTickMs: TICK_MS,
  drainPerSecondMax: DRAIN_MAX,
  // Receivers answer when the test makes them.
  deadlineMs: HOUR_MS / 2,
  // Below an hour: a longer lease is taken for one of a clock that was ahead.
  leaseSeconds: 50 * 60,
};
/** Keeps retries, probes and disabling from happening by themselves during a test. */
const PLAN = {
  scheduleMs: [0, HOUR_MS, HOUR_MS],
  probePlan: { firstMs: HOUR_MS, share: 0, maxMs: HOUR_MS },
  disableAfterMs: 24 * HOUR_MS,
};

describe('The health of an endpoint', () => {
  let customer: Customer;
  let receiver: Receiver;
  let recoveries: ReturnType<typeof createStarter>;
  const lines: Array<{ msg: string; endpointId?: string }> = [];

  const dms = useService({
    log: createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    settings: { webhooks: WEBHOOKS },
    deliveryPlan: PLAN,
  });
  before(() => {
    recoveries = createStarter({
      client: dms.service.temporal.client,
      taskQueue: dms.settings.taskQueue,
      pollIntervalMs: dms.settings.jobPollIntervalMs,
    });
  });
  beforeEach(async () => {
    customer = await addCustomer(dms);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const failing = (status = 500) => receiver.answer((response) => response.writeHead(status).end());
  const well = () => receiver.answer((response) => response.writeHead(204).end());
  const openings = ({ id }: Endpoint) =>
    lines.filter(({ msg, endpointId }) => endpointId === id && msg === 'webhook.breaker_opened').length;
  const breakerIs = (endpoint: Endpoint, wanted: string) =>
    eventually(endpoint.breaker, (breaker) => breaker === wanted, { pauseMs: 10 });
  const untilSending = ({ id }: Endpoint, count: number) =>
    eventually(
      () =>
        query(
          dms.service.sql,
          `select 1 from deliveries where organization_id = ? and endpoint_id = ? and state = 'sending'`,
          [customer.id, id],
        ),
      ({ length }) => length === count,
      { pauseMs: 10 },
    );
  /** Waits until the breaker is open and no earlier attempt is under way. */
  async function hasStoppedSending(endpoint: Endpoint): Promise<void> {
    await breakerIs(endpoint, 'open');
    await untilSending(endpoint, 0);
  }
  /** An endpoint whose breaker so many refused deliveries have opened. */
  async function refusing(count: number): Promise<Endpoint> {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    await customer.publish(count);
    await hasStoppedSending(endpoint);
    return endpoint;
  }
  const refOf = ({ id }: Endpoint) => ({ organizationId: customer.id, endpointId: id });
  /** Makes the run read the state of the endpoint again. */
  const wakeRun = (endpoint: Endpoint) => recoveries.startRecovery(refOf(endpoint));
  /** Resolves when the run has nothing left to do. */
  const untilRunEnded = async (endpoint: Endpoint) => {
    await wakeRun(endpoint);
    await dms.service.temporal.client.workflow.getHandle(deliverWebhooksId(endpoint.id)).result();
  };
  /** Makes the next probe due. Does nothing while one is under way or the breaker is not open. */
  async function probe(endpoint: Endpoint): Promise<void> {
    const due = await query(
      dms.service.sql,
      `update endpoints set next_probe_at = now()
       where organization_id = ? and id = ? and breaker = 'open' and next_probe_at > now() returning 1`,
      [customer.id, endpoint.id],
    );
    if (due.length > 0) await wakeRun(endpoint);
  }
  /** A planned next probe means that the last one is recorded. */
  const untilProbed = (endpoint: Endpoint) =>
    eventually(
      () =>
        query(
          dms.service.sql,
          `select 1 from endpoints
           where organization_id = ? and id = ? and next_probe_at > now() + interval '30 minutes'`,
          [customer.id, endpoint.id],
        ),
      (planned) => planned.length === 1,
      { pauseMs: 10 },
    );
  /**
   * Probes repeatedly, because the receiver may refuse the probed delivery, and a failure that is recorded
   * late plans another probe.
   */
  const probeUntil = (endpoint: Endpoint, wanted: string) =>
    eventually(
      async () => {
        await probe(endpoint);
        return endpoint.breaker();
      },
      (breaker) => breaker === wanted,
      { pauseMs: 20 },
    );
  /** Holds all answers until `release`, which also answers later requests. */
  function hold() {
    const waiting: ServerResponse[] = [];
    receiver.answer((response) => void waiting.push(response));
    return {
      release() {
        well();
        for (const response of waiting) response.writeHead(204).end();
      },
    };
  }

  it('sends nothing after a refusal until it is recorded, however many events are published', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing(503);
    const publishing = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let round = 0; round < 5; round++) await customer.publish(1);
      }),
    );
    await publishing;
    await hasStoppedSending(endpoint);
    const items = await endpoint.until((all) => all.length === 20);
    assert.ok(receiver.received.length <= IN_FLIGHT_MAX, `${receiver.received.length} requests`);
    assert.equal(items.filter(({ attemptCount }) => attemptCount > 0).length, receiver.received.length);
  });

  it('sends nothing but one probe at a time after five failures in a row', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.publish(5);
    await breakerIs(endpoint, 'open');
    assert.equal(receiver.received.length, 5);
    await customer.publish(8);
    for (let probes = 1; probes <= 3; probes++) {
      await probe(endpoint);
      await receiver.until(5 + probes);
      await untilProbed(endpoint);
      assert.equal(receiver.received.length, 5 + probes);
    }
    const items = await endpoint.deliveries();
    assert.equal(items.length, 13);
    assert.ok(items.filter(({ attemptCount }) => attemptCount === 0).length >= 5, 'new ones wait');
  });

  it('opens the breaker when half of at least twenty attempts within a minute failed', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response, index) => response.writeHead(index % 2 === 0 ? 500 : 204).end());
    // Sent one after the other: concurrent ones might be recorded in another order, with five failures in a
    // row.
    for (let count = 1; count <= 18; count++) {
      await customer.publish(1);
      await endpoint.until((items) => items.every(({ attemptCount }) => attemptCount === 1));
    }
    assert.equal(await endpoint.breaker(), 'closed', 'half of eighteen');
    await customer.publish(4);
    await breakerIs(endpoint, 'open');
    assert.ok(receiver.received.length >= 20);
  });

  it('drains oldest first after a successful probe, a tick of requests at a time', async () => {
    const endpoint = await refusing(1);
    await customer.publish(30);
    const before = receiver.received.length;
    well();
    await probe(endpoint);
    await endpoint.untilAll('delivered', 31);
    const [, ...rest] = receiver.received.slice(before);
    const order = (await endpoint.deliveries()).map(({ eventId }) => eventId).reverse();
    const came = rest.map(({ headers }) => order.indexOf(String(headers['webhook-id'])));
    came.forEach((position, index) => {
      const laterOnes = came.slice(0, index).filter((each) => each > position + DRAIN_MAX);
      assert.deepEqual(laterOnes, [], 'oldest first, within a tick');
    });
    await breakerIs(endpoint, 'closed');
  });

  it('continues the drain after a single failure, which waits for its own retry', async () => {
    const endpoint = await refusing(1);
    await customer.publish(20);
    let answered = 0;
    receiver.answer((response) => response.writeHead(++answered === 6 ? 500 : 204).end());
    await probe(endpoint);
    await breakerIs(endpoint, 'closed');
    const items = await endpoint.deliveries();
    assert.deepEqual([statesOf(items, 'delivered'), statesOf(items, 'retrying')], [20, 1]);
    assert.equal(answered, 21, 'none was sent twice');
    assert.equal(openings(endpoint), 1, 'the breaker did not open again');
  });

  it('stops the drain after five failures in a row, and drains again after the next probe', async () => {
    const endpoint = await refusing(1);
    await customer.publish(40);
    let answered = 0;
    let isBack = false;
    receiver.answer((response) => response.writeHead(++answered > 6 && !isBack ? 500 : 204).end());
    await probe(endpoint);
    await eventually(
      async () => openings(endpoint),
      (count) => count === 2,
      { pauseMs: 10 },
    );
    await untilProbed(endpoint);
    assert.ok(
      answered >= 11 && answered <= 11 + DRAIN_MAX,
      `${answered} answers: no more than what was in flight`,
    );
    isBack = true;
    await probeUntil(endpoint, 'closed');
    // Deliveries that failed before the second probe are backlog as well.
    await endpoint.untilAll('delivered', 41);
  });

  it('forgets failures from before a recovery that another process has found', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.publish(5);
    // The log line follows the commit.
    await eventually(
      async () => openings(endpoint),
      (count) => count === 1,
      { pauseMs: 10 },
    );
    // The state after the other process delivered its probe with nothing else queued.
    await query(
      dms.service.sql,
      `update endpoints set breaker = 'closed', next_probe_at = null, recovered_at = now()
       where organization_id = ? and id = ?`,
      [customer.id, endpoint.id],
    );
    await customer.publish(1);
    await receiver.until(6);
    // Nothing is sent after a failure until its consequences are recorded.
    await customer.publish(1);
    await receiver.until(7);
    assert.deepEqual([await endpoint.breaker(), openings(endpoint)], ['closed', 1]);
  });

  it('keeps the breaker closed when an earlier failure is recorded after the recovery', async () => {
    const { id } = await customer.subscribe(receiver.url);
    const endpoint = { organizationId: customer.id, endpointId: id };
    const target = { ...endpoint, url: receiver.url };
    const breakers = createBreakerRepository(dms.service.sql);
    const endpoints = createEndpointHealthRepository(dms.service.sql);
    const nextProbeAt = new Date(Date.now() + 60_000);
    const open = async (isOutage: boolean, recoveredAt: Date | null) => [
      await breakers.open(target, { nextProbeAt, isOutage, recoveredAt }),
      (await endpoints.findActiveState(target))?.breaker,
    ];
    assert.deepEqual(await open(true, null), [true, 'open']);
    await breakers.beginDrain(target);
    const recoveredAt = await breakers.findRecoveredAt(endpoint);
    await breakers.endDrain(endpoint, recoveredAt);
    for (const isOutage of [true, false]) assert.deepEqual(await open(isOutage, null), [false, 'closed']);
    assert.deepEqual(await open(true, recoveredAt), [true, 'open']);
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
    await probeUntil(endpoint, 'closed');
    const items = await endpoint.until((all) => statesOf(all, 'delivered') === 6);
    assert.deepEqual(
      items.filter(({ state }) => state !== 'delivered').map(({ eventId }) => eventId),
      [rejected],
    );
  });

  const statesOf = (items: Array<{ state: string }>, wanted: string) =>
    items.filter(({ state }) => state === wanted).length;

  it('sends the queue to a changed URL without waiting for the probe', async () => {
    const endpoint = await refusing(3);
    const other = await startReceiver();
    await endpoint.change({ url: other.url });
    await endpoint.untilAll('delivered', 3);
    assert.ok(other.received.length >= 3);
    await other.stop();
  });

  for (const [status, headers] of [
    [410, {}],
    [503, { 'retry-after': '86400' }],
  ] as const)
    it(`sends new events to a changed URL after the former one has answered ${status} late`, async () => {
      const endpoint = await customer.subscribe(receiver.url);
      const other = await startReceiver();
      const late = new Promise<ServerResponse>((resolve) => receiver.answer(resolve));
      await customer.publish(1);
      const response = await late;
      await endpoint.change({ url: other.url });
      response.writeHead(status, headers).end();
      await endpoint.until(([only]) => only?.attemptCount === 1);
      await customer.publish(1);
      await other.until(1);
      assert.deepEqual([await endpoint.breaker(), (await endpoint.view()).status], ['closed', 'active']);
      await other.stop();
    });

  it('shows a webhook with a changed URL as healthy after the former URL has failed late', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const late = new Promise<ServerResponse>((resolve) => receiver.answer(resolve));
    await customer.publish(1);
    const response = await late;
    await endpoint.change({ url: `${receiver.url}/other` });
    response.writeHead(410).end();
    const { health } = await eventually(endpoint.view, ({ delivery }) => delivery.lastStatus !== null);
    assert.equal(health.state, 'healthy');
  });

  it('counts no late failures of the former URL against a changed one', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const other = await startReceiver();
    const late: ServerResponse[] = [];
    receiver.answer((response) => void late.push(response));
    await customer.publish(4);
    await receiver.until(4);
    other.answer((response) => response.writeHead(other.received.length === 1 ? 500 : 204).end());
    await endpoint.change({ url: other.url });
    for (const response of late) response.writeHead(500).end();
    await endpoint.until((all) => all.every(({ attemptCount }) => attemptCount === 1));
    await customer.publish(1);
    await endpoint.until((all) => all.length === 5 && all.every(({ attemptCount }) => attemptCount > 0));
    assert.equal(await endpoint.breaker(), 'closed');
    await other.stop();
  });

  it('probes a changed URL before it drains, although a probe of the former one succeeds late', async () => {
    const endpoint = await refusing(3);
    const other = await startReceiver();
    const late: ServerResponse[] = [];
    receiver.answer((response) => void late.push(response));
    const [response] = await eventually(
      async () => {
        await probe(endpoint);
        return late;
      },
      ({ length }) => length > 0,
      { pauseMs: 20 },
    );
    const next = new Promise<ServerResponse>((resolve) => other.answer(resolve));
    await endpoint.change({ url: other.url });
    response?.writeHead(204).end();
    const probed = await next;
    assert.equal(await endpoint.breaker(), 'open');
    other.answer((reply) => reply.writeHead(204).end());
    probed.writeHead(204).end();
    await endpoint.untilAll('delivered', 3);
    await other.stop();
  });

  it('forgets since when the former URL has failed, and nothing by another change', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const failingSince = async () =>
      (
        await query<{ at: Date | null }>(
          dms.service.sql,
          'select failing_since as at from endpoints where id = ?',
          [endpoint.id],
        )
      )[0]?.at;
    await query(
      dms.service.sql,
      `update endpoints set failing_since = now() - interval '71 hours' where id = ?`,
      [endpoint.id],
    );
    await endpoint.change({ events: ['config.applied', 'device.online'] });
    assert.ok(await failingSince());
    await endpoint.change({ url: `${receiver.url}/other` });
    assert.equal(await failingSince(), null);
  });

  it('cancels the queue of a deleted endpoint', async () => {
    const endpoint = await refusing(3);
    const sent = receiver.received.length;
    assert.equal((await customer.api.delete(endpoint.path)).status, 204);
    await untilRunEnded(endpoint);
    assert.equal(receiver.received.length, sent);
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

  it('holds the queue of an endpoint disabled by its customer, queues nothing new, and drains it when enabled', async () => {
    const endpoint = await refusing(1);
    await customer.publish(5);
    await endpoint.change({ status: 'disabled' });
    assert.equal((await endpoint.view()).disabledReason, 'customer');
    await endpoint.untilAll('held', 6);
    await customer.publish(2);
    const sent = receiver.received.length;
    await untilRunEnded(endpoint);
    assert.equal(receiver.received.length, sent);
    const first = hold();
    await endpoint.change({ status: 'active' });
    await receiver.until(sent + 1);
    assert.equal(await endpoint.breaker(), 'draining', 'at the pace of a drain');
    first.release();
    await endpoint.untilAll('delivered', 6);
  });

  it('sends a slow endpoint at most its requests in flight after it is disabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const held = hold();
    await customer.publish(20);
    await receiver.until(IN_FLIGHT_MAX);
    await endpoint.change({ status: 'disabled' });
    // Further claims are released when the change is known.
    await untilSending(endpoint, IN_FLIGHT_MAX);
    held.release();
    const items = await endpoint.until((all) =>
      all.every(({ state }) => state === 'held' || state === 'delivered'),
    );
    assert.deepEqual(
      [statesOf(items, 'delivered'), receiver.received.length],
      [IN_FLIGHT_MAX, IN_FLIGHT_MAX],
    );
    await endpoint.change({ status: 'active' });
    await endpoint.untilAll('delivered', 20);
    assert.equal(receiver.received.length, 20, 'none twice');
  });

  it('never dates failing_since before the last success, even before one that is recorded late', async () => {
    const endpoints = createEndpointHealthRepository(dms.service.sql);
    const { id } = await customer.subscribe(receiver.url, { events: ['device.online'] });
    const endpoint = { organizationId: customer.id, endpointId: id, url: receiver.url };
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
    const endpoint = await refusing(3);
    failing(410);
    await eventually(
      async () => {
        await probe(endpoint);
        return endpoint.view();
      },
      ({ disabledReason }) => disabledReason === 'gone',
    );
    await customer.publish(2);
    const items = await endpoint.until(
      (all) => statesOf(all, 'held') + statesOf(all, 'failed') === all.length,
    );
    assert.deepEqual([items.length, statesOf(items, 'failed')], [3, 1]);
    assert.equal(items.find(({ state }) => state === 'failed')?.lastStatusCode, 410);
  });

  it('names an event webhook that was disabled by the host of its present URL', async () => {
    const other = await startReceiver();
    await customer.subscribe(other.url, { events: ['webhook.disabled'] });
    const endpoint = await customer.subscribe('https://former.example/hook');
    await endpoint.change({ url: receiver.url });
    failing(410);
    await customer.publish(1);
    const [disabled] = await other.until(1);
    assert.equal(disabled?.event.data.name, new URL(receiver.url).host);
    await other.stop();
  });

  it('delivers to an endpoint while ten others hang, each with its maximum in flight', async () => {
    await customer.subscribe(receiver.url);
    const dead = await startReceiver();
    dead.answer(() => {});
    for (let count = 0; count < 10; count++) await customer.subscribe(`${dead.url}/${count}`);
    await customer.publish(IN_FLIGHT_MAX);
    await dead.until(10 * IN_FLIGHT_MAX);
    for (let count = 2; count <= 5; count++) {
      await customer.publish(IN_FLIGHT_MAX);
      await receiver.until(count * IN_FLIGHT_MAX);
    }
    assert.equal(dead.received.length, 10 * IN_FLIGHT_MAX);
    await dead.stop();
  });

  it('disables an endpoint that fails for too long, holds old and new deliveries, and releases them when enabled', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    failing();
    await customer.publish(2);
    await endpoint.until((all) => all.length === 2 && all.every(({ state }) => state === 'retrying'));
    await query(
      dms.service.sql,
      "update endpoints set failing_since = now() - interval '2 days' where organization_id = ? and id = ?",
      [customer.id, endpoint.id],
    );
    await customer.publish(1);
    await endpoint.untilDisabled('failing');
    await customer.publish(3);
    await endpoint.untilAll('held', 6);
    const sent = receiver.received.length;
    well();
    await endpoint.change({ status: 'active' });
    await endpoint.untilAll('delivered', 6);
    assert.equal(receiver.received.length - sent, 6);
  });
});
