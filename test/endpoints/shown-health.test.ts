/** Sections 6 and 12 of the contract: a customer sees that an endpoint fails, and why deliveries wait. */
import assert from 'node:assert/strict';
import { eventually, register, sendTemperature } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { useOrganization, useService } from '../support/service.ts';

describe('The health of an endpoint', () => {
  // The clock of the database without the error of its measurement, since times of both are compared.
  const dms = useService({ now: () => new Date() });
  const org = useOrganization(dms);
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    await register(org, 'A-1');
  });
  afterEach(() => receiver.stop());

  const answering = (status: number) => receiver.answer((response) => response.writeHead(status).end());
  const create = async (path: string, body: object = {}) =>
    (await org.api.post(path, { url: receiver.url, ...body })).body;
  const read = async (path: string) => (await org.api.get(path)).body;

  it('shows an endpoint as healthy while deliveries succeed, alike in the list and alone, in both collections', async () => {
    for (const path of ['/cellular-webhooks', '/webhooks']) {
      const { id, health } = await create(path);
      assert.deepEqual(health, {
        state: 'healthy',
        since: null,
        backlog: 0,
        oldestPendingAt: null,
        nextAttemptAt: null,
      });
      const [listed] = (await read(path)).items;
      assert.deepEqual(listed, await read(`${path}/${id}`));
    }
  });

  it('shows an endpoint as failing from the first failure on, with its backlog, the start, and the next attempt', async () => {
    const { id } = await create('/cellular-webhooks');
    answering(503);
    await sendTemperature(org, 'A-1', 4);
    const path = `/cellular-webhooks/${id}`;
    const { health } = await eventually(
      () => read(path),
      (body) => body.health.state === 'failing' && body.health.nextAttemptAt !== null,
    );
    assert.equal(health.backlog, 1);
    assert.ok(Date.parse(health.since) >= Date.parse(health.oldestPendingAt));
    assert.ok(Date.parse(health.nextAttemptAt) > Date.parse(health.since));
    const [delivery] = (await read(`${path}/deliveries`)).items;
    assert.equal(delivery.serialNumber, 'A-1');
    assert.equal(delivery.createdAt, health.oldestPendingAt);
    assert.ok(delivery.lastAttemptAt >= delivery.createdAt);
    assert.match(delivery.reason, /^the webhook is failing/);
    assert.equal((await read('/fleet')).endpoints.failing, 1);
  });

  it('shows an endpoint as recovering since a replay began', async () => {
    const { id } = await create('/cellular-webhooks');
    const path = `/cellular-webhooks/${id}`;
    await sendTemperature(org, 'A-1', 4);
    const { items } = await eventually(
      () => read(`${path}/deliveries`),
      (body) => body.items[0]?.state === 'delivered',
    );
    // The drain lasts until the end of the test.
    receiver.answer(() => {});
    await org.api.post(`${path}/replay`, { since: '2020-01-01T00:00:00Z', states: ['delivered'] });
    const { health } = await read(path);
    assert.equal(health.state, 'recovering');
    assert.ok(
      health.since >= items[0].lastAttemptAt,
      `${health.since}, replayed after ${items[0].lastAttemptAt}`,
    );
  });

  it('shows an endpoint as disabled after 410, and notifies the other endpoints', async () => {
    const other = await startReceiver();
    await org.api.post('/webhooks', { url: other.url, events: ['webhook.disabled'] });
    answering(410);
    const { id, name, url } = await create('/cellular-webhooks');
    await sendTemperature(org, 'A-1', 4);
    const [notified] = await other.until(1);
    assert.deepEqual(notified?.event.data, {
      id,
      recType: 'cellular-webhook',
      name,
      url,
      status: 'disabled',
      reason: 'gone',
      backlog: 0,
    });
    const { health } = await read(`/cellular-webhooks/${id}`);
    assert.equal(health.state, 'disabled');
    assert.ok(health.since !== null);
    assert.equal((await read(`/cellular-webhooks/${id}/deliveries`)).items.length, 1);
    await other.stop();
  });

  it('counts held deliveries, and gives each its reason for waiting', async () => {
    const { id } = await create('/webhooks', { events: ['alert.created', 'webhook.disabled'] });
    const cellular = await create('/cellular-webhooks');
    answering(500);
    await sendTemperature(org, 'A-1', 4);
    const path = `/cellular-webhooks/${cellular.id}`;
    await eventually(
      () => read(`${path}/deliveries`),
      ({ items }) => items[0]?.attemptCount > 0,
    );
    await org.api.patch(path, { status: 'disabled' });
    const { health } = await read(path);
    assert.deepEqual([health.state, health.backlog, health.nextAttemptAt], ['disabled', 1, null]);
    const [held] = (await read(`${path}/deliveries`)).items;
    assert.deepEqual([held.state, held.nextAttemptAt], ['held', null]);
    assert.match(held.reason, /^the webhook is disabled/);
    assert.equal((await read(`/webhooks/${id}`)).health.state, 'healthy');
  });

  it('gives no reason for a delivered delivery, and shows the time', async () => {
    const { id } = await create('/cellular-webhooks');
    await sendTemperature(org, 'A-1', 4);
    const { items } = await eventually(
      () => read(`/cellular-webhooks/${id}/deliveries`),
      (body) => body.items[0]?.state === 'delivered',
    );
    assert.equal(items[0].reason, null);
    const one = await read(`/cellular-webhooks/${id}/deliveries/${items[0].id}`);
    assert.equal(items[0].lastAttemptAt, one.attempts[0].at);
    assert.deepEqual({ ...one, ...items[0] }, one);
  });
});
