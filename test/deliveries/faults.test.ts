/**
 * Faults around the delivery of webhooks: lost notifications, and workers that end in the middle of their
 * work. Everything that was committed arrives, and arrives twice only where it has to. `test/faults` covers
 * servers that stop, `npm run ledger` processes that are killed at random.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { query } from '../../src/db/query.ts';
import { DELIVERIES_CHANNEL } from '../../src/deliveries/outbox.repository.ts';
import type { Settings } from '../../src/process/config.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { eventually } from '../support/fleet.ts';
import { assertBalanced, type Ledger, many, openLedger, workflowCheckedAt } from '../support/ledger.ts';
import { startService, type TestService, type TestServiceOptions, useService } from '../support/service.ts';
import { QUICK, QUICK_PLAN } from './harness.ts';

const WEBHOOKS = {
  ...QUICK,
  perEndpointMax: 4,
  drainTickMs: 50,
  drainPerSecondMax: 80,
};
/** Number of requests of a drain that are answered before its worker stops. */
const DRAINED_BEFORE = 8;
/** Longer than any test takes. */
const WITHOUT_POLLS = { ...QUICK_PLAN, pollIntervalMs: HOUR_MS };
/** No server listens on this port, which the system assigns to none. */
const UNREACHABLE = '127.0.0.1:1';
const WITHOUT_NOTIFICATIONS = { databaseDirectUrl: `postgres://nobody@${UNREACHABLE}/none` };
const BY_POLLS = { ...QUICK_PLAN, pollIntervalMs: 50 };

describe('The delivery of webhooks', () => {
  const dms = useService({ withWorker: false });
  let ledger: Ledger;

  before(() => {
    ledger = openLedger(dms);
  });
  after(() => ledger.stop());

  /** A second instance of the service, within this process. */
  async function whileWorking(
    {
      settings = {},
      deliveryPlan,
    }: Pick<TestServiceOptions, 'deliveryPlan'> & { settings?: Partial<Settings> },
    work: (worker: TestService) => Promise<void>,
  ): Promise<void> {
    const { databaseUrl, taskQueue } = dms.settings;
    const worker = await startService({
      databaseUrl,
      deliveryPlan,
      settings: { taskQueue, webhooks: WEBHOOKS, ...settings },
    });
    await work(worker).finally(worker.stop);
  }

  it('starts the missing run of an endpoint whose worker ended before starting it', async () => {
    const subscriber = await ledger.subscribe(['config.applied']);
    subscriber.receiver.answer((response, index) => response.writeHead(index < 1 ? 500 : 204).end());
    await whileWorking({ settings: { temporalAddress: UNREACHABLE } }, async () => {
      await ledger.publish(['config.applied']);
      await eventually(
        () => query<{ state: string }>(ledger.sql, 'select state from deliveries', []),
        ([delivery]) => delivery?.state === 'retrying',
      );
    });
    assert.equal(await workflowCheckedAt(dms, subscriber), null);
    await query(ledger.sql, 'update deliveries set next_attempt_at = now()', []);
    await whileWorking({ settings: WITHOUT_NOTIFICATIONS }, () => ledger.untilAllDelivered());
    assertBalanced(ledger, 1);
  });

  it('continues by polling without notifications, and repeats only deliveries that a killed worker had not recorded', async () => {
    const subscriber = await ledger.subscribe(['device.online']);
    const before = ledger.balance().repeats;
    await whileWorking({ settings: WITHOUT_NOTIFICATIONS, deliveryPlan: BY_POLLS }, async () => {
      await ledger.publish(['device.online']);
      await ledger.publish(['device.online'], { rollBack: true });
      await ledger.untilAllDelivered();
      assertBalanced(ledger, before);
      // The state that a worker leaves when it is killed after the answer and before recording it.
      const revived = await query(
        ledger.sql,
        `update deliveries set state = 'sending', attempt_count = 0, schedule_step = 0, next_attempt_at = null,
           leased_until = now() - interval '1 second', leased_by = ?
         where endpoint_id = ? returning 1`,
        [dms.id, subscriber.webhookId],
      );
      assert.equal(revived.length, 1);
      await subscriber.receiver.until(2);
      await ledger.untilAllDelivered();
    });
    assertBalanced(ledger, before + 1);
  });

  it('keeps exactly one connection for notifications when it is cut, and continues by notifications alone', async () => {
    const subscriber = await ledger.subscribe(['alert.created']);
    const connections = () =>
      query<{ query: string; state: string }>(
        ledger.sql,
        "select query, state from pg_stat_activity where application_name = 'listen ' || ? and datname = current_database()",
        [DELIVERIES_CHANNEL],
      );
    const untilListening = () =>
      eventually(
        connections,
        (all) =>
          all.length === 1 && all[0]?.query === `listen ${DELIVERIES_CHANNEL}` && all[0].state === 'idle',
      );
    await whileWorking({ deliveryPlan: WITHOUT_POLLS }, async () => {
      for (let round = 1; round <= 3; round++) {
        await untilListening();
        await ledger.publish(['alert.created']);
        await subscriber.receiver.until(round);
        await query(
          ledger.sql,
          // Waits for the end, because a connection that is still ending could be taken for the next one.
          `select pg_terminate_backend(pid, 10_000) from pg_stat_activity
           where application_name = 'listen ' || ? and datname = current_database()`,
          [DELIVERIES_CHANNEL],
        );
      }
      await untilListening();
      await ledger.publish(['alert.created']);
      await subscriber.receiver.until(4);
      assert.equal((await connections()).length, 1);
      await ledger.untilAllDelivered();
    });
  });

  it('hands over sends and drains at once when a worker stops, and repeats nothing', async () => {
    const sent = await ledger.subscribe(['alert.resolved']);
    const drained = await ledger.subscribe(['device.offline']);
    const waiting: ServerResponse[] = [];
    sent.receiver.answer((response) => void waiting.push(response));
    drained.receiver.answer((response, index) => {
      if (index < DRAINED_BEFORE) response.writeHead(204).end();
      else waiting.push(response);
    });
    // The state just after the receiver came back.
    await query(
      ledger.sql,
      "update endpoints set breaker = 'draining' where organization_id = ? and id = ?",
      [dms.id, drained.webhookId],
    );
    const { repeats } = ledger.balance();
    await ledger.publish(many(40, 'device.offline'));
    await ledger.publish(many(40, 'alert.resolved'));
    await whileWorking({}, async (stopping) => {
      await sent.receiver.until(WEBHOOKS.perEndpointMax);
      await drained.receiver.until(DRAINED_BEFORE + 1);
      await whileWorking({ deliveryPlan: BY_POLLS }, async () => {
        const stopped = stopping.stop();
        for (const { receiver } of [sent, drained])
          receiver.answer((response) => response.writeHead(204).end());
        for (const response of waiting) response.writeHead(204).end();
        await stopped;
        await ledger.untilAllDelivered();
      });
    });
    assertBalanced(ledger, repeats);
  });
});
