/**
 * The guarantees of delivery (docs/contract.md, section 14) under faults: workers are killed with SIGKILL again and
 * again while events are published and receivers misbehave; then what was committed is compared with what arrived.
 * LEDGER_SEED repeats a run, LEDGER_SECONDS makes a longer one; LEDGER_KILL_SECONDS is the longest life of a worker,
 * LEDGER_OUTAGE=1 stops one receiver for a while, so that its breaker opens.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../../src/db/query.ts';
import { SUBSCRIBABLE_TYPES, type SubscribableType } from '../../src/events/event-catalogue.schemas.ts';
import { startPeriodic } from '../../src/process/periodic.ts';
import { type Ledger, openLedger, type Subscriber } from '../support/ledger.ts';
import { startService, type TestService } from '../support/service.ts';
import { endAll, environmentOf, type Running, run } from '../support/stack.ts';

const SEED = Number(process.env.LEDGER_SEED ?? Date.now() % 1_000_000);
const SECONDS = Number(process.env.LEDGER_SECONDS ?? 8);
const HAS_OUTAGE = process.env.LEDGER_OUTAGE === '1';
const SETTLE_MS = Number(process.env.LEDGER_SETTLE_SECONDS ?? 90) * 1_000;
const DEADLINE_SECONDS = 2;
/** How long receivers go on misbehaving after the last worker was killed. */
const MISBEHAVE_AFTERWARDS_MS = 3_000;
const TRANSACTION_EVERY_MS = 40;
const EVENTS_PER_TRANSACTION_MAX = 40;
const KILL_AFTER_MS_MIN = 500;
const KILL_AFTER_MS_MAX = Number(process.env.LEDGER_KILL_SECONDS ?? 4) * 1_000;

describe(`Delivery while workers are killed (LEDGER_SEED=${SEED})`, function () {
  this.timeout(SECONDS * 1_000 + SETTLE_MS + 30_000);
  const random = randomFrom(SEED);
  let dms: TestService;
  let ledger: Ledger;
  let subscribers: Subscriber[];
  let workers: Running[];
  let env: Record<string, string>;
  let kills = 0;
  let failures = 0;
  let broughtForward = 0;
  let areReceiversHealthy = false;

  before(async () => {
    dms = await startService({ withWorker: false, settings: { jobPollIntervalMs: 1_000 } });
    ledger = openLedger(dms);
    env = {
      ...environmentOf(dms.settings),
      WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
      WEBHOOK_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
    };
    subscribers = [
      await ledger.subscribe(SUBSCRIBABLE_TYPES),
      await ledger.subscribe(SUBSCRIBABLE_TYPES, { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
      await ledger.subscribe(['config.applied', 'device.offline', 'device.online']),
      await ledger.subscribe(['alert.created', 'alert.resolved']),
    ];
    for (const { receiver } of subscribers) receiver.answer(misbehaving());
    workers = [run('worker', env), run('worker', env)];
    await Promise.all(workers.map((worker) => worker.line(/worker is up/)));
  });
  after(async () => {
    await endAll();
    await ledger.stop();
    await dms.stop();
  });

  it('delivers every committed event and no other, and repeats an event only with its webhook-id and body', async () => {
    const over = AbortSignal.timeout(SECONDS * 1_000);
    await Promise.all([publishUntil(over), killUntil(over), ...(HAS_OUTAGE ? [interruptReceiver()] : [])]);
    const recovery = setTimeout(() => {
      areReceiversHealthy = true;
    }, MISBEHAVE_AFTERWARDS_MS);
    const publishedAt = performance.now();
    const skipping = startPeriodic(1_000, skipLongWaits, () => {});
    await ledger.untilAllDelivered(SETTLE_MS).finally(skipping.stop);
    clearTimeout(recovery);
    const settledMs = Math.round(performance.now() - publishedAt);
    const { faults, ...figures } = ledger.balance();
    process.stdout.write(
      `      ${JSON.stringify({ kills, failures, broughtForward, settledMs, ...figures })}\n`,
    );
    assert.deepEqual(faults, []);
    assert.ok(kills > 0 && figures.rolledBack > 0 && figures.unanswered === 0);
    assert.ok(figures.committed > SECONDS * 100, `only ${figures.committed} events`);
  });

  async function publishUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const types = Array.from({ length: 1 + Math.floor(random() * EVENTS_PER_TRANSACTION_MAX) }, anyType);
      await ledger.publish(types, { rollBack: random() < 0.1 });
      await delay(TRANSACTION_EVERY_MS * 2 * random());
    }
  }

  const anyType = () =>
    SUBSCRIBABLE_TYPES[Math.floor(random() * SUBSCRIBABLE_TYPES.length)] as SubscribableType;

  /** Mostly the one that has been up longer, so that workers are killed both while they send and while they start. */
  async function killUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await delay(KILL_AFTER_MS_MIN + random() * (KILL_AFTER_MS_MAX - KILL_AFTER_MS_MIN));
      const victim = workers.splice(random() < 0.7 ? 0 : 1, 1)[0] as Running;
      assert.ok(victim.isRunning(), `a worker died by itself:\n${victim.output()}`);
      await victim.end('SIGKILL');
      kills++;
      workers.push(run('worker', env));
    }
  }

  /** A delivery that failed twice on a busy machine would wait for minutes. */
  async function skipLongWaits(): Promise<void> {
    const rows = await query(
      ledger.sql,
      `update deliveries set next_attempt_at = now()
       where state = 'retrying' and schedule_step > 1 and next_attempt_at > now() returning 1`,
      [],
    );
    broughtForward += rows.length;
  }

  async function interruptReceiver(): Promise<void> {
    const { receiver } = subscribers[0] as Subscriber;
    await delay(2_000);
    await receiver.pause();
    await delay(3_000);
    await receiver.resume();
  }

  /** Fails an event at most once, because its third attempt would be minutes away. In the end nothing fails. */
  function misbehaving() {
    const failed = new Set<string>();
    return (response: ServerResponse, _: number, { headers }: { headers: Record<string, unknown> }) => {
      const id = String(headers['webhook-id']);
      const chance = random();
      const answer = () => response.writeHead(204).end();
      if (chance > 0.045 || areReceiversHealthy || failed.has(id)) {
        setTimeout(answer, chance < 0.2 ? 300 * random() : 0);
        return;
      }
      failed.add(id);
      failures++;
      if (chance < 0.015) response.writeHead(500).end();
      else if (chance < 0.03) response.socket?.resetAndDestroy();
      else setTimeout(answer, DEADLINE_SECONDS * 1_000 + 500);
    };
  }
});

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
