/** The recovery run of an endpoint, as the Temporal UI shows it. */
import assert from 'node:assert/strict';
import { HOUR_MS } from '../../src/process/durations.ts';
import { eventually } from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { QUICK, QUICK_PLAN, useCustomer } from './harness.ts';

describe('The recovery run of an endpoint', () => {
  const dms = useService({
    // The sweep may start one more run for an endpoint whose run ends at that moment.
    settings: { webhooks: QUICK, runCheckIntervalMs: HOUR_MS },
    deliveryPlan: { ...QUICK_PLAN, probePlan: { firstMs: 1_500, share: 0, maxMs: 1_500 } },
  });
  const customer = useCustomer(dms);

  async function runsOf(webhookId: string) {
    const runs = [];
    for await (const run of dms.service.temporal.client.workflow.list({
      query: `EndpointId = '${webhookId}'`,
    })) {
      runs.push(run);
    }
    return runs;
  }

  const detailsOf = async (workflowId: string) =>
    String(
      await dms.service.temporal.client.workflow
        .getHandle(workflowId)
        .query('__temporal_workflow_metadata')
        .then((metadata) => (metadata as { currentDetails?: string }).currentDetails),
    );

  it('exists only while deliveries fail, describes the recovery, and ends when the backlog is delivered', async () => {
    const receiver = await startReceiver();
    const endpoint = await customer.subscribe(`${new URL(receiver.url).origin}?token=of-the-customer`);
    await customer.publish(1);
    await endpoint.untilAll('delivered', 1);
    assert.deepEqual(await runsOf(endpoint.id), []);

    receiver.answer((response) => response.writeHead(503).end());
    await customer.publish(1);
    await eventually(endpoint.breaker, (breaker) => breaker === 'open');
    await customer.publish(4);
    const workflowId = `deliver-webhooks:${endpoint.id}`;
    const text = await eventually(
      () => detailsOf(workflowId).catch(() => ''),
      (details) => /next probe/.test(details) && /first attempt: [1-4]/.test(details),
    );
    assert.match(text, /127\.0\.0\.1:\d+/);
    assert.doesNotMatch(text, /token/, 'a URL may hold a secret');
    assert.match(text, /the breaker is open/);
    assert.match(text, /next probe is sent at \d{4}-\d\d-\d\d \S+ UTC/);
    assert.match(text, /retry: [1-5]/);
    assert.match(text, /failing since: \d{4}/);
    assert.match(text, /last error: the receiver answered 503/);
    const running = await eventually(
      () => runsOf(endpoint.id),
      (runs) => runs.length === 1,
    );
    assert.deepEqual(
      running.map(({ workflowId: id, type, status }) => [id, type, status.name]),
      [[workflowId, 'deliverWebhooks', 'RUNNING']],
    );

    receiver.answer((response) => response.writeHead(204).end());
    await endpoint.untilAll('delivered', 6);
    const handle = dms.service.temporal.client.workflow.getHandle(workflowId);
    assert.equal(await handle.result(), 'the endpoint is healthy');
    assert.equal(await endpoint.breaker(), 'closed');
    await receiver.stop();
  });
});
