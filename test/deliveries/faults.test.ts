/**
 * Faults around the delivery of webhooks, with real servers: servers that stop, connections that are cut, workers that
 * are killed or stopped. Everything that was committed arrives, and nothing arrives twice without need.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { startTemporalDevServer, type TemporalDevServer } from '../../dev/embedded/temporal-dev-server.ts';
import { query } from '../../src/db/query.ts';
import { DELIVERIES_CHANNEL } from '../../src/deliveries/delivery-notifications.repository.ts';
import type { SubscribableType } from '../../src/events/event-catalogue.schemas.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { eventually } from '../support/fleet.ts';
import { type Ledger, openLedger, type Subscriber } from '../support/ledger.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { endAll, environmentOf, type Running, run, startWorkerProcess, tryKill } from '../support/stack.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dms-delivery-faults-'));
chmodSync(scratch, 0o755); // root's PostgreSQL runs as another user

/** Waits of a second in place of hours. */
const QUICK_PLAN = {
  scheduleMs: [0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000],
  probePlan: { firstMs: 500, share: 0.1, maxMs: 500 },
  disableAfterMs: 60_000,
};
const QUICK = {
  perEndpointMax: 16,
  drainPerSecondMax: 200,
  drainTickMs: 100,
  deadlineMs: 2_000,
  connectTimeoutMs: 1_000,
  leaseSeconds: 8,
  secretGracePeriodMs: 60_000,
  retentionDays: 7,
};
/** What a killed process has written is not lost; only a crash of the machine would need it flushed. */
const UNSYNCED = { fsync: 'off', full_page_writes: 'off' };
const HEALED_QUICKLY_MS = 10_000;
/** Half of the time that a process gets before it is killed. */
const STOPPED_QUICKLY_MS = 5_000;

after(async () => {
  await endAll();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

const many = (count: number, type: SubscribableType): SubscribableType[] =>
  Array.from({ length: count }, () => type);

const workerEnvironment = (dms: TestService) => ({
  ...environmentOf(dms.settings),
  WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
});

function assertBalanced(ledger: Ledger, repeatsMax = 0): void {
  const { faults, ...figures } = ledger.balance();
  process.stdout.write(`      ${JSON.stringify(figures)}\n`);
  assert.deepEqual(faults, []);
  assert.ok(figures.repeats <= repeatsMax, `${figures.repeats} repeats`);
}

describe('Delivery without notifications', () => {
  let dms: TestService;
  let ledger: Ledger;
  let subscriber: Subscriber;
  before(async () => {
    dms = await startService({ settings: { webhooks: QUICK }, deliveryPlan: QUICK_PLAN });
    ledger = openLedger(dms);
    subscriber = await ledger.subscribe(['device.online']);
  });
  after(async () => {
    await dms.stop();
    await ledger.stop();
  });

  async function publishAndTime(): Promise<number> {
    const startedAt = performance.now();
    await ledger.publish(['device.online']);
    await subscriber.receiver.until(ledger.balance().committed);
    return performance.now() - startedAt;
  }
  const cut = () => query(ledger.sql, `select pg_terminate_backend(pid) ${LISTENING}`, [DELIVERIES_CHANNEL]);
  const LISTENING =
    "from pg_stat_activity where application_name = 'listen ' || ? and datname = current_database()";
  const untilListening = () =>
    eventually(
      () => query(ledger.sql, `select pid ${LISTENING}`, [DELIVERIES_CHANNEL]),
      (connections) => connections.length === 1,
    );

  it('delays deliveries by at most a second when the connection for notifications is cut', async () => {
    await publishAndTime();
    assert.equal((await cut()).length, 1);
    const tookMs = await publishAndTime();
    assert.ok(tookMs < 1_500, `${tookMs} ms`);
  });

  it('reconnects for notifications with one connection, and then delivers without delay', async () => {
    for (let round = 0; round < 3; round++) {
      await untilListening();
      await cut();
    }
    await untilListening();
    await delay(100);
    const tookMs = [];
    for (let round = 0; round < 7; round++) tookMs.push(await publishAndTime());
    tookMs.sort((a, b) => a - b);
    assert.ok(
      (tookMs[3] as number) < 400,
      `without notifications it would be a second: ${tookMs.map(Math.round)} ms`,
    );
    await untilListening();
    assertBalanced(ledger);
  });
});

describe('Delivery without Temporal', function () {
  this.timeout(45_000);
  let dms: TestService;
  let ledger: Ledger;
  let temporal: TemporalDevServer;
  let port: number;
  let healthy: Subscriber;
  let failedBefore: Subscriber;
  let failsMeanwhile: Subscriber;

  async function startTemporal(): Promise<void> {
    const { cli } = await servers();
    const searchAttributes = SEARCH_ATTRIBUTES;
    const dbFile = join(scratch, 'temporal.db');
    temporal = await startTemporalDevServer({ cli, port, dbFile, searchAttributes, log: () => {} });
  }
  /** Fails the first requests. */
  const failing = ({ receiver }: Subscriber, count: number) =>
    receiver.answer((response, index) => response.writeHead(index < count ? 500 : 204).end());

  before(async () => {
    port = await freePort();
    await startTemporal();
    dms = await startService({
      settings: { temporalAddress: temporal.address, jobPollIntervalMs: 1_000, webhooks: QUICK },
      deliveryPlan: QUICK_PLAN,
    });
    ledger = openLedger(dms);
    healthy = await ledger.subscribe(['device.online']);
    failedBefore = await ledger.subscribe(['config.applied']);
    failsMeanwhile = await ledger.subscribe(['config.failed']);
    failing(failedBefore, 2);
    failing(failsMeanwhile, 3);
    await ledger.publish(['config.applied']);
    // Its workflow is waiting for the retry.
    await eventually(
      () => workflowCheckedAt(dms, failedBefore),
      (at) => at !== null,
    );
    await temporal.stop();
  });
  after(async () => {
    await dms.stop();
    await temporal.stop();
    await ledger.stop();
  });

  it('makes first attempts while Temporal is down', async () => {
    for (let round = 0; round < 5; round++) await ledger.publish(many(4, 'device.online'));
    await ledger.publish(many(3, 'config.failed'));
    await healthy.receiver.until(20);
    await failsMeanwhile.receiver.until(3);
  });

  it('resumes retries when Temporal is back, and loses nothing', async () => {
    // A retry may have been under way when Temporal ended.
    await delay(1_000);
    const attempts = failedBefore.receiver.received.length;
    assert.ok(attempts <= 3, `${attempts} attempts`);
    await delay(1_500);
    assert.equal(failedBefore.receiver.received.length, attempts);
    assert.equal(failsMeanwhile.receiver.received.length, 3);
    await startTemporal();
    await ledger.untilAllDelivered(20_000);
    assertBalanced(ledger, 2 + 3);
  });
});

describe('Delivery while PostgreSQL restarts', function () {
  this.timeout(60_000);
  let postgres: RunningPostgres;
  let port: number;
  let dms: TestService | undefined;
  let ledger: Ledger;
  let worker: Running | undefined;
  const dataDir = join(scratch, 'postgres');
  const start = async () => {
    postgres = await startPostgres({ dataDir, port, log: () => {}, settings: UNSYNCED });
  };

  before(async () => {
    port = await freePort();
    await start();
    const databaseUrl = await migratedDatabase(postgres.url);
    dms = await startService({ databaseUrl, withWorker: false });
    ledger = openLedger(dms);
    worker = await startWorkerProcess({ ...workerEnvironment(dms), WEBHOOK_DEADLINE_SECONDS: '1' });
    await ledger.subscribe(['device.online', 'device.offline']);
    await ledger.subscribe(['device.online']);
  });
  after(async () => {
    await worker?.end('SIGKILL');
    await ledger?.stop();
    await dms?.stop();
    await postgres.stop();
  });

  it('loses nothing when PostgreSQL is stopped or killed under load, and the worker continues', async () => {
    const over = new AbortController();
    const load = Promise.all([publishUntil(over.signal), publishUntil(over.signal)]);
    await untilMore(50);
    await postgres.stop();
    await delay(500);
    await start();
    await untilMore(50);
    tryKill(postmasterOf(dataDir));
    await postgres.exited;
    await start();
    await untilMore(50);
    over.abort();
    await load;
    await ledger.untilAllDelivered(20_000);
    const { unanswered } = ledger.balance();
    assert.ok(unanswered > 0);
    assertBalanced(ledger, Number.POSITIVE_INFINITY);
    assert.ok(worker?.isRunning(), worker?.output());
  });

  async function untilMore(count: number): Promise<void> {
    const { committed } = ledger.balance();
    await eventually(
      async () => ledger.balance().committed,
      (now) => now >= committed + count,
    );
  }

  async function publishUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await ledger.publish(['device.online', 'device.offline']);
      await delay(5);
    }
  }
});

describe('Delivery after a worker was killed', function () {
  this.timeout(45_000);
  let dms: TestService;
  let late: TestService | undefined;
  let ledger: Ledger;
  before(async () => {
    dms = await startService({ withWorker: false, settings: { webhooks: QUICK }, deliveryPlan: QUICK_PLAN });
    ledger = openLedger(dms);
  });
  after(async () => {
    await late?.stop();
    await dms.stop();
    await ledger.stop();
  });

  it('starts the missing workflow of an endpoint when a worker was killed before it could', async () => {
    const noTemporal = `127.0.0.1:${await freePort()}`;
    const worker = run('worker', { ...workerEnvironment(dms), TEMPORAL_ADDRESS: noTemporal });
    const subscriber = await ledger.subscribe(['device.online']);
    subscriber.receiver.answer((response, index) => response.writeHead(index < 1 ? 500 : 204).end());
    await ledger.publish(['device.online']);
    await subscriber.receiver.until(1);
    await eventually(
      () => query<{ state: string }>(ledger.sql, 'select state from deliveries', []),
      ([delivery]) => delivery?.state === 'retrying',
    );
    await worker.end('SIGKILL');
    assert.equal(await workflowCheckedAt(dms, subscriber), null);
    // The retry is due.
    await query(ledger.sql, 'update deliveries set next_attempt_at = now()', []);
    const { databaseUrl, taskQueue, webhooks } = dms.settings;
    late = await startService({ databaseUrl, settings: { taskQueue, webhooks } });
    await ledger.untilAllDelivered(HEALED_QUICKLY_MS);
    assertBalanced(ledger, 1);
  });
});

describe('Delivery while a worker stops', function () {
  this.timeout(60_000);
  let dms: TestService;
  let late: TestService | undefined;
  let ledger: Ledger;
  let worker: Running;
  before(async () => {
    dms = await startService({ withWorker: false });
    ledger = openLedger(dms);
    worker = await startWorkerProcess({ ...workerEnvironment(dms), WEBHOOK_DRAIN_PER_SECOND: '16' });
  });
  after(async () => {
    await late?.stop();
    await dms.stop();
    await ledger.stop();
  });

  it('hands over to another worker at once, what it was sending and what it was draining, and repeats nothing', async () => {
    const sent = await ledger.subscribe(['device.online']);
    sent.receiver.answer((response) => setTimeout(() => response.writeHead(204).end(), 250));
    const drained = await ledger.subscribe(['device.offline']);
    // As if the receiver had just come back.
    await query(
      ledger.sql,
      "update endpoints set breaker = 'draining' where organization_id = ? and id = ?",
      [dms.id, drained.webhookId],
    );
    await ledger.publish(many(60, 'device.offline'));
    await drained.receiver.until(12);
    await ledger.publish(many(200, 'device.online'));
    await sent.receiver.until(30);

    const { databaseUrl, taskQueue } = dms.settings;
    late = await startService({ databaseUrl, settings: { taskQueue } });
    assert.ok(sent.receiver.received.length < 200 && drained.receiver.received.length < 60);
    const { code, durationMs } = await worker.end('SIGTERM');
    assert.equal(code, 0, worker.output());
    assert.ok(durationMs < STOPPED_QUICKLY_MS, `the stop took ${durationMs} ms`);
    // Leases are a minute long here: only released claims can be sent this soon.
    await ledger.untilAllDelivered(2 * HEALED_QUICKLY_MS);
    assertBalanced(ledger);
  });
});

async function workflowCheckedAt(
  { id, service }: TestService,
  { webhookId }: Subscriber,
): Promise<Date | null> {
  const [row] = await query<{ checkedAt: Date | null }>(
    service.sql,
    'select workflow_checked_at as "checkedAt" from endpoints where organization_id = ? and id = ?',
    [id, webhookId],
  );
  return row?.checkedAt ?? null;
}

const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
