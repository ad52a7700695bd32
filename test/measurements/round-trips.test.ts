/** Round trips of a frame: answers of the database that are needed before the next statement can be sent. */
import assert from 'node:assert/strict';
import { createAlertBatchesRepository } from '../../src/alerts/alert-batches.repository.ts';
import { createAlertEvaluation } from '../../src/alerts/alert-evaluation.service.ts';
import { createBatchTransact } from '../../src/db/batch-transaction.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createOutboxRepository } from '../../src/deliveries/outbox.repository.ts';
import { createPublishEvents } from '../../src/events/events.service.ts';
import type { MessageBatchDeps } from '../../src/measurements/message-batch.service.ts';
import { apply, applyAnswer, createProfile, FRIDGE, register } from '../support/fleet.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

describe('A frame alone', () => {
  const logger = useLogger();
  let roundTrips = 0;
  let lastFrom = 'server';
  /** A round trip begins whenever the client sends after the server has. */
  const count = (from: 'client' | 'server') => {
    if (from === 'client' && lastFrom === 'server') roundTrips++;
    lastFrom = from;
  };
  let proxy: TcpProxy;
  let database: Database;

  before(async () => {
    proxy = await startTcpProxy(logger.dms.settings.databaseUrl, count);
    database = openDatabase({
      url: proxy.url,
      poolSize: 1,
      statementTimeoutMs: 5_000,
      applicationName: 'round trips',
    });
  });
  after(async () => {
    await database.destroy();
    await proxy.stop();
  });

  /** An intake that publishes, with one connection through the proxy. */
  async function openIntake(more: Partial<MessageBatchDeps> = {}) {
    await logger.org.api.post('/cellular-webhooks', { url: 'http://127.0.0.1:9/hooks' });
    let transactions = 0;
    const transact = createBatchTransact(database, { startsWithRead: true });
    const intake = logger.intakeWith({
      transact(work) {
        transactions++;
        return transact(work);
      },
      publish: createPublishEvents({ deliveriesIn: createOutboxRepository, onQueued: () => {} }),
      ...more,
    });
    const receive = (minute: number, more: object = {}) =>
      intake.receive(logger.frame({ readings: [temperature(minute)], ...more }));
    await receive(-2);
    return { receive, transactions: () => transactions };
  }

  it('takes three round trips to be stored and published', async () => {
    const { receive } = await openIntake();
    roundTrips = 0;
    assert.equal((await receive(-1))?.accepted, 1);
    assert.equal(roundTrips, 3);
    const { rows } = await logger.dms.service.sql.raw(
      'select count(*) from events where organization_id = ?',
      [logger.org.id],
    );
    assert.equal(Number(rows[0].count), 2);
  });

  it('opens an alert in the same transaction, with two round trips more', async () => {
    const { receive, transactions } = await openIntake({
      evaluateAlerts: createAlertEvaluation({
        batchesIn: createAlertBatchesRepository,
        evaluateLate: async () => ({ events: [], unended: new Map() }),
      }),
    });
    await createProfile(logger.org, FRIDGE);
    await apply(logger.org, 'vaccine-fridge', { serialNumbers: [logger.serial] });
    await applyAnswer(logger.org, logger.serial);
    const receiveValue = (minute: number, value: number) =>
      receive(minute, { readings: [temperature(minute, { value })] });
    // A process reads the content of a configuration once.
    await receiveValue(-1.5, 5);
    const before = transactions();
    roundTrips = 0;
    await receiveValue(-1, 9);
    assert.deepEqual([transactions() - before, roundTrips], [1, 5]);
    assert.equal((await logger.asset()).openAlerts, 1);
  });

  it('delivers a change in the same transaction, with three round trips more', async () => {
    const { receive, transactions } = await openIntake();
    const other = logger.newSerial('SAME-PROFILE');
    await register(logger.org, other);
    await createProfile(logger.org, FRIDGE);
    await apply(logger.org, 'vaccine-fridge', { serialNumbers: [logger.serial, other] });
    // A process reads the content of a configuration once.
    await receive(-1, { serialNumber: other });
    const before = transactions();
    roundTrips = 0;
    const result = await receive(-1);
    assert.deepEqual([result?.accepted, result?.pendingConfig?.revision], [1, 1]);
    assert.deepEqual([transactions() - before, roundTrips], [1, 6]);
  });
});
