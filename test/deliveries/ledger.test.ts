/**
 * The promise of section 7, tried by force: workers are killed with -9 again and again while events are published and
 * receivers misbehave, and in the end the books of both sides agree. LEDGER_SEED makes another run, LEDGER_SECONDS a
 * longer one; LEDGER_KILL_SECONDS is the longest life of a worker, LEDGER_OUTAGE=1 takes one receiver away for a while,
 * so that its breaker opens.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../../src/db/query.ts';
import type { SubscribableType } from '../../src/events/event-catalogue.schemas.ts';
import { SUBSCRIBABLE_TYPES } from '../../src/events/event-catalogue.schemas.ts';
import { startPeriodic } from '../../src/process/periodic.ts';
import { type Ledger, openLedger, type Subscriber } from '../support/ledger.ts';
import { startService, type TestService } from '../support/service.ts';
import { endAll, environmentOf, type Running, run } from '../support/stack.ts';

const SEED = Number(process.env.LEDGER_SEED ?? Date.now() % 1_000_000);
const SECONDS = Number(process.env.LEDGER_SECONDS ?? 8);
const HAS_OUTAGE = process.env.LEDGER_OUTAGE === '1';
const SETTLE_MS = Number(process.env.LEDGER_SETTLE_SECONDS ?? 40) * 1_000;
const DEADLINE_SECONDS = 2;
/** How long receivers go on misbehaving when the killing is over. */
const ILL_FOR_MS = 10_000;
const TRANSACTION_EVERY_MS = 40;
const EVENTS_PER_TRANSACTION_MAX = 40;
const KILL_AFTER_MS_MIN = 500;
const KILL_AFTER_MS_MAX = Number(process.env.LEDGER_KILL_SECONDS ?? 4) * 1_000;

describe(`Workers that are killed with -9 while events are published (LEDGER_SEED=${SEED})`, function () {
  this.timeout(SECONDS * 1_000 + SETTLE_MS + 30_000);
  const random = randomFrom(SEED);
  let dms: TestService;
  let ledger: Ledger;
  let subscribers: Subscriber[];
  let workers: Running[];
  let env: Record<string, string>;
  let kills = 0;
  let failures = 0;
  let hurried = 0;
  let areReceiversWell = false;

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
    for (const { receiver } of subscribers) receiver.answer(moody());
    workers = [run('worker', env), run('worker', env)];
    await Promise.all(workers.map((worker) => worker.line(/worker is up/)));
  });
  after(async () => {
    await endAll();
    await ledger.stop();
    await dms.stop();
  });

  it('lose nothing, invent nothing, and repeat an event only as itself', async () => {
    const over = AbortSignal.timeout(SECONDS * 1_000);
    await Promise.all([publishUntil(over), killUntil(over), ...(HAS_OUTAGE ? [takeAway()] : [])]);
    const healing = setTimeout(() => {
      areReceiversWell = true;
    }, ILL_FOR_MS);
    const publishedAt = performance.now();
    const hurrying = startPeriodic(1_000, hurry, () => {});
    await ledger.untilAllDelivered(SETTLE_MS).finally(hurrying.stop);
    clearTimeout(healing);
    const settledMs = Math.round(performance.now() - publishedAt);
    const { faults, ...figures } = ledger.balance();
    process.stdout.write(`      ${JSON.stringify({ kills, failures, hurried, settledMs, ...figures })}\n`);
    assert.deepEqual(faults, []);
    assert.ok(kills > 0 && figures.undone > 0 && figures.unsure === 0);
    assert.ok(figures.committed > SECONDS * 100, `only ${figures.committed} events`);
  });

  async function publishUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const types = Array.from({ length: 1 + Math.floor(random() * EVENTS_PER_TRANSACTION_MAX) }, anyKind);
      await ledger.publish(types, { rollBack: random() < 0.1 });
      await delay(TRANSACTION_EVERY_MS * 2 * random());
    }
  }

  const anyKind = () =>
    SUBSCRIBABLE_TYPES[Math.floor(random() * SUBSCRIBABLE_TYPES.length)] as SubscribableType;

  /** Mostly the one that has been up for longer, so that both that work and that just start are hit. */
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

  /** What has failed twice on a busy machine waits for minutes; for it, they pass at once. */
  async function hurry(): Promise<void> {
    const rows = await query(
      ledger.sql,
      `update deliveries set next_attempt_at = now()
       where state = 'retrying' and schedule_step > 1 and next_attempt_at > now() returning 1`,
      [],
    );
    hurried += rows.length;
  }

  async function takeAway(): Promise<void> {
    const { receiver } = subscribers[0] as Subscriber;
    await delay(2_000);
    await receiver.pause();
    await delay(3_000);
    await receiver.resume();
  }

  /** Fails an event once at most: its third attempt would be minutes away. In the end all are well. */
  function moody() {
    const failed = new Set<string>();
    return (response: ServerResponse, _: number, { headers }: { headers: Record<string, unknown> }) => {
      const id = String(headers['webhook-id']);
      const mood = random();
      const answer = () => response.writeHead(204).end();
      if (mood > 0.045 || areReceiversWell || failed.has(id)) {
        setTimeout(answer, mood < 0.2 ? 300 * random() : 0);
        return;
      }
      failed.add(id);
      failures++;
      if (mood < 0.015) response.writeHead(500).end();
      else if (mood < 0.03) response.socket?.resetAndDestroy();
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
