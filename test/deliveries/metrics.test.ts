/** Metrics and log lines about deliveries, for operators. */
import assert from 'node:assert/strict';
import { createLog } from '../../src/process/log.ts';
import { eventually } from '../support/fleet.ts';
import { useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { QUICK, QUICK_PLAN, useCustomer } from './harness.ts';

describe('Metrics and log of deliveries', () => {
  const lines: Array<{ msg: string; endpointId?: string }> = [];

  const receiver = useReceiver();
  const dms = useService({
    log: createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    settings: { webhooks: QUICK },
    deliveryPlan: {
      ...QUICK_PLAN,
      // A retry would change the age of the oldest due delivery, and a probe the state that is counted.
      scheduleMs: [0, 60_000, 60_000],
      probePlan: { firstMs: 60_000, share: 0, maxMs: 60_000 },
    },
  });
  const customer = useCustomer(dms);

  async function gauge(name: string): Promise<number> {
    const answer = await fetch(dms.metricsUrl);
    const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? Number.NaN);
  }
  const endpoints = (state: string) => gauge(`dms_webhook_endpoints{state="${state}"}`);
  const untilEndpoints = (state: string, count: number) =>
    eventually(
      () => endpoints(state),
      (found) => found === count,
    );

  it('counts endpoints by state and logs each change of an endpoint', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    assert.equal(await endpoints('closed'), 1);
    receiver.answer((response) => response.writeHead(500).end());
    // As many as open the breaker: a further failure after the probe would open it again.
    await customer.publish(5);
    await untilEndpoints('open', 1);
    assert.equal(await endpoints('closed'), 0);
    receiver.answer((response) => response.writeHead(204).end());
    assert.equal((await customer.api.post(`${endpoint.path}/retry`)).status, 200);
    await untilEndpoints('closed', 1);
    await endpoint.change({ status: 'disabled' });
    assert.equal(await endpoints('disabled'), 1);
    await endpoint.change({ status: 'active' });
    assert.equal(await endpoints('closed'), 1);
    const events = lines.filter(({ endpointId }) => endpointId === endpoint.id).map(({ msg }) => msg);
    assert.deepEqual(events, [
      'webhook.breaker_opened',
      'webhook.breaker_half_open',
      'webhook.breaker_closed',
      'webhook.disabled',
      'webhook.enabled',
    ]);
  });

  it('measures how long the oldest due delivery has been waiting, 0 when none is due', async () => {
    assert.equal(await gauge('dms_delivery_oldest_due_seconds'), 0);
    const endpoint = await customer.subscribe(receiver.url);
    receiver.answer((response) => response.writeHead(503).end());
    await customer.publish(1);
    await eventually(endpoint.breaker, (breaker) => breaker === 'open', { pauseMs: 10 });
    await customer.publish(1);
    await eventually(
      () => gauge('dms_delivery_oldest_due_seconds'),
      (seconds) => seconds > 0.2,
    );
  });
});
