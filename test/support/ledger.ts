/**
 * Records both sides of the delivery: committed events, and the requests of each receiver. Every event has a
 * timestamp of its own, which serves as its number, so that both sides can be compared after any fault.
 */
import assert from 'node:assert/strict';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DomainEvent } from '../../src/db/domain-event.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createOutboxRepository, notifyQueued } from '../../src/deliveries/outbox.repository.ts';
import { EVENT_CATALOGUE, type SubscribableType } from '../../src/events/event-catalogue.schemas.ts';
import { createPublishEvents } from '../../src/events/events.service.ts';
import { eventually } from './fleet.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { TestService } from './service.ts';

export interface Subscriber {
  webhookId: string;
  events: readonly SubscribableType[];
  receiver: Receiver;
}

export interface Balance {
  /** Differences between the two sides, in sentences; empty when they agree. */
  faults: string[];
  committed: number;
  rolledBack: number;
  /** Events published without an answer to the commit. */
  unanswered: number;
  /** Pairs of a committed event and a subscriber. */
  expected: number;
  requests: number;
  /** Repeated requests of an event at a receiver. */
  repeats: number;
}

export interface Ledger {
  sql: Database;
  subscribe(events: readonly SubscribableType[], more?: object): Promise<Subscriber>;
  /** Publishes the events in one transaction. Never rejects: a commit without an answer is recorded as such. */
  publish(types: readonly SubscribableType[], how?: { rollBack: boolean }): Promise<void>;
  /** Waits until every delivery is in state delivered; fails with the number in each state. */
  untilAllDelivered(): Promise<void>;
  balance(): Balance;
  /** Stops the receivers and closes the connections. */
  stop(): Promise<void>;
}

/** Types of events by number, each event in one of the maps. */
type Published = Record<'committed' | 'rolledBack' | 'unanswered', Map<number, SubscribableType>>;

class RolledBack extends Error {}

export function openLedger(dms: TestService): Ledger {
  const sql = openDatabase({
    url: dms.settings.databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'ledger',
  });
  const transact = createTransact(sql);
  const publishEvents = createPublishEvents({
    deliveriesIn: createOutboxRepository,
    onQueued: (endpoints) => void notifyQueued(sql, endpoints).catch(() => {}),
  });
  const subscribers: Subscriber[] = [];
  const published: Published = { committed: new Map(), rolledBack: new Map(), unanswered: new Map() };
  let count = 0;

  return {
    sql,

    async subscribe(events, more = {}) {
      const receiver = await startReceiver();
      const { status, body, text } = await dms.api.post('/webhooks', { url: receiver.url, events, ...more });
      if (status !== 201) throw new Error(text);
      const subscriber = { webhookId: body.id as string, events, receiver };
      subscribers.push(subscriber);
      return subscriber;
    },

    async publish(types, { rollBack } = { rollBack: false }) {
      const events = types.map((type) => ({ type, number: ++count }));
      const outcome = await transact(async (tx) => {
        await publishEvents(
          tx,
          events.map(({ type, number }) => numberedEvent(dms.id, type, number)),
        );
        if (rollBack) throw new RolledBack();
      }).then(
        () => published.committed,
        (error) => (error instanceof RolledBack ? published.rolledBack : published.unanswered),
      );
      for (const { type, number } of events) outcome.set(number, type);
    },

    async untilAllDelivered() {
      await eventually(
        () =>
          query<{ state: string; count: number }>(
            sql,
            'select state, count(*) as count from deliveries where organization_id = ? group by state',
            [dms.id],
          ).catch((error: Error) => [{ state: String(error), count: 0 }]),
        (states) => states.every(({ state }) => state === 'delivered'),
        { pauseMs: 100 },
      );
    },

    balance: () => toBalance(published, subscribers),

    async stop() {
      await Promise.all(subscribers.map(({ receiver }) => receiver.stop()));
      await sql.destroy();
    },
  };
}

export const many = (count: number, type: SubscribableType): SubscribableType[] =>
  Array.from({ length: count }, () => type);

export function assertBalanced(ledger: Ledger, repeatsMax = 0): void {
  const { faults, ...figures } = ledger.balance();
  process.stdout.write(`      ${JSON.stringify(figures)}\n`);
  assert.deepEqual(faults, []);
  assert.ok(figures.repeats <= repeatsMax, `${figures.repeats} repeats`);
}

/** When the run of the endpoint, or the sweep for missing runs, last checked it. */
export async function workflowCheckedAt(
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

const numberedEvent = (organizationId: string, type: SubscribableType, number: number) =>
  ({
    organizationId,
    type,
    timestamp: new Date(number),
    data: EVENT_CATALOGUE[type].example,
  }) as DomainEvent;

interface Request {
  subscriber: Subscriber;
  number: number;
  /** The header webhook-id. */
  eventId: string;
  type: string;
  body: string;
}

function toBalance(published: Published, subscribers: Subscriber[]): Balance {
  const requests = subscribers.flatMap((subscriber) =>
    subscriber.receiver.received.map(({ headers, body, event }) => ({
      subscriber,
      number: Date.parse(event.timestamp),
      eventId: String(headers['webhook-id']),
      type: event.type,
      body,
    })),
  );
  const received = new Set(requests.map(({ subscriber, number }) => pairOf(subscriber, number)));
  const expected = expectedPairs(published.committed, subscribers);
  const arrived = new Set(requests.map(({ number }) => number));
  // An event that arrived anywhere was certainly committed.
  const proven = new Map([...published.unanswered].filter(([number]) => arrived.has(number)));
  const missing = [...expected, ...expectedPairs(proven, subscribers)].filter((pair) => !received.has(pair));
  return {
    faults: [...wrongRequests(requests, published), ...missing.map((pair) => `${pair} never arrived`)],
    committed: published.committed.size,
    rolledBack: published.rolledBack.size,
    unanswered: published.unanswered.size,
    expected: expected.length,
    requests: requests.length,
    repeats: requests.length - received.size,
  };
}

const pairOf = ({ webhookId }: Subscriber, number: number) => `event ${number} for ${webhookId}`;

const expectedPairs = (events: Map<number, SubscribableType>, subscribers: Subscriber[]): string[] =>
  subscribers.flatMap((subscriber) =>
    [...events]
      .filter(([, type]) => subscriber.events.includes(type))
      .map(([number]) => pairOf(subscriber, number)),
  );

function* wrongRequests(requests: Request[], { rolledBack }: Published): Generator<string> {
  const firstCopies = new Map<number, Request>();
  for (const request of requests) {
    const { subscriber, number, type, eventId, body } = request;
    const pair = pairOf(subscriber, number);
    if (rolledBack.has(number)) yield `${pair} was rolled back`;
    if (!subscriber.events.includes(type as SubscribableType)) yield `${pair} is a ${type}`;
    const first = firstCopies.get(number) ?? request;
    firstCopies.set(number, first);
    if (first.eventId !== eventId) yield `${pair} came with another webhook-id`;
    if (first.body !== body) yield `${pair} came with another body`;
  }
  const ids = new Set([...firstCopies.values()].map(({ eventId }) => eventId));
  if (ids.size !== firstCopies.size) yield 'two events have the same webhook-id';
}
