/**
 * Records both sides of the delivery: what was committed, and what each receiver got. Every event has a timestamp of its
 * own, which serves as its number, so that both sides can be compared whatever happened in between.
 */
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DomainEvent } from '../../src/db/domain-event.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createDeliveriesRepository } from '../../src/deliveries/deliveries.repository.ts';
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
  /** Sentences; none when the books agree. */
  faults: string[];
  /** Events that were committed, rolled back, and published without an answer to the commit. */
  committed: number;
  undone: number;
  unsure: number;
  /** Pairs of a committed event and a subscriber. */
  expected: number;
  requests: number;
  /** Requests beyond the first of an event at a receiver. */
  repeats: number;
}

export interface Ledger {
  sql: Database;
  subscribe(events: readonly SubscribableType[], more?: object): Promise<Subscriber>;
  /** Publishes the events in one transaction. It does not fail: an unanswered commit is booked as such. */
  publish(types: readonly SubscribableType[], how?: { rollBack: boolean }): Promise<void>;
  /** Waits until every delivery row says so; fails with how many are in which state. */
  untilAllDelivered(timeoutMs: number): Promise<void>;
  balance(): Balance;
  /** Ends the receivers and the connections. */
  stop(): Promise<void>;
}

class RolledBack extends Error {}

export function openLedger(dms: TestService): Ledger {
  const sql = openDatabase({
    url: dms.settings.databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'ledger',
  });
  const transact = createTransact(sql);
  const publishEvents = createPublishEvents({ deliveriesIn: createDeliveriesRepository });
  const subscribers: Subscriber[] = [];
  const committed = new Map<number, SubscribableType>();
  const undone = new Map<number, SubscribableType>();
  const unsure = new Map<number, SubscribableType>();
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
        () => committed,
        (error) => (error instanceof RolledBack ? undone : unsure),
      );
      for (const { type, number } of events) outcome.set(number, type);
    },

    async untilAllDelivered(timeoutMs) {
      await eventually(
        () =>
          query<{ state: string; count: number }>(
            sql,
            'select state, count(*) as count from deliveries where organization_id = ? group by state',
            [dms.id],
          ).catch((error: Error) => [{ state: String(error), count: 0 }]),
        (states) => states.every(({ state }) => state === 'delivered'),
        { timeoutMs, pauseMs: 100 },
      );
    },

    balance() {
      const faults: string[] = [];
      const idOf = new Map<number, string>();
      const bodyOf = new Map<number, string>();
      let requests = 0;
      let repeats = 0;
      let expected = 0;
      for (const { receiver, webhookId, events } of subscribers) {
        const seen = new Set<number>();
        for (const { headers, body, event } of receiver.received) {
          const number = Date.parse(event.timestamp);
          const id = headers['webhook-id'] as string;
          requests++;
          if (seen.has(number)) repeats++;
          seen.add(number);
          if (undone.has(number)) faults.push(`${number} was rolled back, and came to ${webhookId}`);
          if (!events.includes(event.type as SubscribableType))
            faults.push(`${webhookId} got a ${event.type}`);
          if ((idOf.get(number) ?? id) !== id) faults.push(`${number} came with another webhook-id`);
          if ((bodyOf.get(number) ?? body) !== body) faults.push(`${number} came with another body`);
          idOf.set(number, id);
          bodyOf.set(number, body);
        }
        for (const [number, type] of committed) {
          if (!events.includes(type)) continue;
          expected++;
          if (!seen.has(number)) faults.push(`${number} never came to ${webhookId}`);
        }
        for (const [number, type] of unsure) {
          const cameElsewhere = idOf.has(number);
          if (cameElsewhere && events.includes(type) && !seen.has(number))
            faults.push(`${number}, committed without an answer, never came to ${webhookId}`);
        }
      }
      if (new Set(idOf.values()).size !== idOf.size) faults.push('two events have the same webhook-id');
      return {
        faults,
        committed: committed.size,
        undone: undone.size,
        unsure: unsure.size,
        expected,
        requests,
        repeats,
      };
    },

    async stop() {
      await Promise.all(subscribers.map(({ receiver }) => receiver.stop()));
      await sql.destroy();
    },
  };
}

const numberedEvent = (organizationId: string, type: SubscribableType, number: number) =>
  ({
    organizationId,
    type,
    timestamp: new Date(number),
    data: EVENT_CATALOGUE[type].example,
  }) as DomainEvent;
