/** What deliveries that fail cost in events of the histories of workflows. */
import assert from 'node:assert/strict';
import { eventually } from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { addCustomer, type Customer, pause, QUICK, QUICK_PLAN } from './harness.ts';

const DELIVERIES = 1_000;
/** At most so many events of histories, by how many of a hundred first attempts fail. */
const BARS: Array<{ failing: number; eventsMax: number }> = [
  { failing: 0, eventsMax: 0 },
  { failing: 1, eventsMax: 50 },
  { failing: 20, eventsMax: 300 },
];

describe('The history of the run of an endpoint', () => {
  let dms: TestService;
  let customer: Customer;

  before(async () => {
    dms = await startService({
      settings: { webhooks: QUICK },
      deliveryPlan: { ...QUICK_PLAN, scheduleMs: [0, 2_000, 2_000, 2_000] },
    });
    customer = await addCustomer(dms);
  });
  after(() => dms.stop());

  /** Of all runs, when all of them have ended. */
  async function countEvents(endpointId: string): Promise<number> {
    const { workflow } = dms.service.temporal.client;
    const runs = await eventually(
      async () => {
        const found = [];
        for await (const run of workflow.list({ query: `EndpointId = '${endpointId}'` })) found.push(run);
        return found;
      },
      (found) => found.every(({ status }) => status.name !== 'RUNNING'),
    );
    let events = 0;
    for (const { workflowId, runId } of runs)
      events += (await workflow.getHandle(workflowId, runId).fetchHistory()).events?.length ?? 0;
    return events;
  }

  for (const { failing, eventsMax } of BARS) {
    it(`has at most ${eventsMax} events for ${DELIVERIES} deliveries of which ${failing} % fail at first`, async () => {
      const receiver = await startReceiver();
      const endpoint = await customer.subscribe(receiver.url);
      const failed = new Set<string>();
      let firstAttempts = 0;
      receiver.answer((response, _, { headers }) => {
        const id = String(headers['webhook-id']);
        const isFirst = !failed.has(id);
        if (isFirst) firstAttempts++;
        const fails = isFirst && failing > 0 && firstAttempts % (100 / failing) === 0;
        if (fails) failed.add(id);
        response.writeHead(fails ? 500 : 204).end();
      });
      for (let sent = 0; sent < DELIVERIES; sent += 50, await pause(20)) await customer.publish(50);
      await receiver.until(DELIVERIES + (DELIVERIES * failing) / 100);
      await eventually(
        async () => (await customer.api.get(`${endpoint.path}/deliveries?state=retrying`)).body.items.length,
        (count) => count === 0,
      );
      const events = await countEvents(endpoint.id);
      process.stdout.write(`      ${events} events\n`);
      assert.ok(events <= eventsMax, `${events} events`);
      await receiver.stop();
    });
  }
});
