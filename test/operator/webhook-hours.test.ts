/** The last day on the page of a webhook. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { countAttempt } from '../../src/endpoints/endpoint.ts';
import { createEndpointHealthRepository } from '../../src/endpoints/endpoint-health.repository.ts';
import { createShownWebhooksRepository } from '../../src/operator/shown-webhooks.repository.ts';
import { fillHours, type HourOfAttempts, summarize } from '../../src/operator/webhook-hours.ts';
import { QUICK, QUICK_PLAN, useCustomer } from '../deliveries/harness.ts';
import { eventually } from '../support/fleet.ts';
import { useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

const NOW = new Date('2026-03-02T12:30:00Z');
const hour = (at: string, delivered: number, failed: number, durationMs = 0): HourOfAttempts => ({
  hour: new Date(at),
  delivered,
  failed,
  durationMs,
  durationMaxMs: durationMs,
});

describe('The attempts of a webhook by hour', () => {
  it('fills the last 24 hours, up to the current one', () => {
    const hours = fillHours([hour('2026-03-02T12:00:00Z', 2, 0), hour('2026-03-01T12:00:00Z', 9, 9)], NOW);
    assert.equal(hours.length, 24);
    assert.deepEqual(hours.at(-1), hour('2026-03-02T12:00:00Z', 2, 0));
    assert.deepEqual(hours[0], hour('2026-03-01T13:00:00Z', 0, 0));
  });

  it('shows 100 % delivered only when nothing failed', () => {
    assert.equal(summarize([hour('2026-03-02T12:00:00Z', 99_999, 1)]).deliveredPercent, 99.9);
    assert.equal(summarize([hour('2026-03-02T12:00:00Z', 5, 0)]).deliveredPercent, 100);
    assert.equal(summarize([hour('2026-03-02T12:00:00Z', 0, 0)]).deliveredPercent, null);
    assert.equal(summarize([hour('2026-03-02T12:00:00Z', 1, 3, 100)]).averageMs, 25);
  });
});

describe('The page of a webhook', () => {
  const receiver = useReceiver();
  const dms = useService({ settings: { webhooks: QUICK }, deliveryPlan: QUICK_PLAN });
  const customer = useCustomer(dms);

  const hoursOf = async (id: string) => {
    const since = new Date(Date.now() - 86_400_000);
    return createShownWebhooksRepository(dms.service.sql).listHours(customer.id, id, since);
  };

  it('counts every attempt with its duration, and shows the last failures with payload and answer', async () => {
    let fails = true;
    receiver.answer((response) =>
      response.writeHead(fails ? 500 : 204).end(fails ? 'no disk left' : undefined),
    );
    const endpoint = await customer.subscribe(receiver.url);
    await customer.publish(1);
    await endpoint.until(([item]) => item !== undefined && item.attemptCount > 0);
    const cookie = await signIn(dms, { organizationId: customer.id });
    const path = `${dms.baseUrl}/operator/webhooks/events/${endpoint.id}`;
    await eventually(
      async () => (await visit(path, { cookie })).text,
      (text) => /Last failures.*no disk left.*Payload.*config\.applied/s.test(text),
    );
    fails = false;
    await endpoint.untilAll('delivered', 1);
    await customer.publish(20);
    const items = await endpoint.untilAll('delivered', 21);
    const attempts = items.reduce((sum, { attemptCount }) => sum + attemptCount, 0);
    const hours = await eventually(
      () => hoursOf(endpoint.id),
      (all) => all.reduce((sum, each) => sum + each.delivered + each.failed, 0) >= attempts,
    );
    const { deliveredPercent, attempts: counted } = summarize(hours);
    assert.equal(counted, attempts);
    assert.ok((deliveredPercent ?? 0) < 100);
    assert.equal(
      hours.reduce((sum, { delivered }) => sum + delivered, 0),
      21,
    );
    const { text } = await visit(path, { cookie });
    assert.match(
      text,
      new RegExp(`Last 24 hours.*Attempts</dt><dd>${attempts}<.*Average duration.*\\d+ ms`, 's'),
    );
    assert.doesNotMatch(text, /Last failures/);
  });

  it('starts each hour of the week at zero, ignores late attempts, and keeps a week at most', async () => {
    const { id } = await customer.subscribe(receiver.url, { events: ['device.online'] });
    const health = createEndpointHealthRepository(dms.service.sql);
    const ref = { organizationId: customer.id, endpointId: id, url: receiver.url };
    const record = (at: string, counts = countAttempt('delivered', 10)) =>
      health.recordLastAttempts([
        { ...ref, attemptedAt: new Date(at), status: 'delivered', statusCode: 204, error: null, counts },
      ]);
    await record('2026-03-01T10:59:00Z', countAttempt('delivered', 900));
    await record('2026-03-08T10:00:00Z');
    await record('2026-03-08T10:59:59Z', countAttempt('failed', 30));
    await record('2026-03-01T10:30:00Z');
    const rows = await query(
      dms.service.sql,
      `select hour, delivered, failed, duration_ms, duration_max_ms from endpoint_hours
       where organization_id = ? and endpoint_id = ?`,
      [customer.id, id],
    );
    assert.deepEqual(rows, [
      {
        hour: new Date('2026-03-08T10:00:00Z'),
        delivered: 1,
        failed: 1,
        duration_ms: 40,
        duration_max_ms: 30,
      },
    ]);
  });

  it('removes its hours with the webhook', async () => {
    const { id } = await customer.subscribe(receiver.url, { events: ['device.online'] });
    const ref = { organizationId: customer.id, endpointId: id, url: receiver.url };
    await createEndpointHealthRepository(dms.service.sql).recordLastAttempts([
      {
        ...ref,
        attemptedAt: new Date(),
        status: 'delivered',
        statusCode: 204,
        error: null,
        counts: countAttempt('delivered', 1),
      },
    ]);
    assert.equal((await hoursOf(id)).length, 1);
    await customer.api.delete(`/webhooks/${id}`);
    await query(
      dms.service.sql,
      `update endpoints set deleted_at = now() - interval '1 day' where organization_id = ? and id = ?`,
      [customer.id, id],
    );
    await eventually(
      () => hoursOf(id),
      (hours) => hours.length === 0,
    );
  });
});
