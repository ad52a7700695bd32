/** Failing deliveries cost no events of workflow histories per delivery. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import { eventually } from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { addCustomer, type Customer, type Endpoint, QUICK } from './harness.ts';

const DELIVERIES = 100;
/**
 * Maximum number of history events, by the number of failing first attempts: those of a run that works, and of one that
 * finds nothing, which failures start that are reported, at most once a second, after the first run has ended.
 */
const BARS: Array<{ failing: number; eventsMax: number }> = [
  { failing: 0, eventsMax: 0 },
  { failing: 1, eventsMax: 65 },
  { failing: 20, eventsMax: 65 },
];
const HOUR_SECONDS = 3_600;

describe('The history of the run of an endpoint', () => {
  let customer: Customer;

  // The sweep may start one more run for an endpoint whose run ends at that moment.
  const dms = useService({ settings: { webhooks: QUICK, runCheckIntervalMs: HOUR_SECONDS * 1_000 } });
  beforeEach(async () => {
    customer = await addCustomer(dms);
  });

  /** Total over all runs, once all of them have ended. */
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

  /** The run has read that the first retry is due in an hour, and needs no signal for later ones. */
  const untilPlanned = ({ id }: Endpoint) =>
    eventually(
      () =>
        query(
          dms.service.sql,
          `select 1 from endpoints
           where organization_id = ? and id = ? and workflow_due_at > now() + interval '30 minutes'`,
          [customer.id, id],
        ),
      (planned) => planned.length === 1,
    );

  /** Makes all retries due. */
  async function retryNow({ id: endpointId }: Endpoint): Promise<void> {
    const endpoint = { organizationId: customer.id, endpointId };
    await query(
      dms.service.sql,
      `update deliveries set next_attempt_at = now()
       where organization_id = ? and endpoint_id = ? and state = 'retrying'`,
      [customer.id, endpointId],
    );
    const { taskQueue, jobPollIntervalMs: pollIntervalMs } = dms.settings;
    const { client } = dms.service.temporal;
    await createStarter({ client, taskQueue, pollIntervalMs }).startRecovery(endpoint);
  }

  for (const { failing, eventsMax } of BARS) {
    it(`takes at most ${eventsMax} events for ${DELIVERIES} deliveries, ${failing} of them failing at first`, async () => {
      const receiver = await startReceiver();
      const endpoint = await customer.subscribe(receiver.url);
      const every = DELIVERIES / failing;
      const failed = new Set<unknown>();
      receiver.answer((response, index, { headers }) => {
        const id = headers['webhook-id'];
        if (failed.size === failing || index % every !== 0) return response.writeHead(204).end();
        failed.add(id);
        // Each one is later than the one before, with any jitter, so none changes the next check of the run.
        response.writeHead(500, { 'retry-after': String(failed.size * HOUR_SECONDS) }).end();
      });
      await customer.publish(1);
      if (failing > 0) await untilPlanned(endpoint);
      await customer.publish(DELIVERIES - 1);
      await endpoint.until(
        (items) =>
          items.filter(({ state }) => state === 'retrying').length === failing &&
          items.filter(({ state }) => state === 'delivered').length === DELIVERIES - failing,
      );
      if (failing > 0) await retryNow(endpoint);
      await endpoint.untilAll('delivered', DELIVERIES);
      assert.equal(receiver.received.length, DELIVERIES + failing);
      const events = await countEvents(endpoint.id);
      process.stdout.write(`      ${events} events\n`);
      assert.ok(events <= eventsMax, `${events} events`);
      await receiver.stop();
    });
  }
});
