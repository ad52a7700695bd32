import type { Sql } from '../db/database.ts';
import type { InTransaction } from '../db/transaction.ts';
import { bodyOf, type DomainEvent } from './event.ts';

export interface OutgoingEvent {
  organizationId: string;
  type: string;
  /** Serialised: what is signed and sent. */
  body: string;
}

export interface EventsDeps {
  deliveriesIn(sql: Sql): { insert(events: OutgoingEvent[]): Promise<void> };
}

/** Queues the events for everybody who subscribed, in the transaction of the facts: both are there, or neither. */
export type PublishEvents = (tx: InTransaction, events: DomainEvent[]) => Promise<void>;

export function createPublishEvents({ deliveriesIn }: EventsDeps): PublishEvents {
  return async ({ sql }, events) => {
    if (events.length === 0) return;
    const outgoing = events.map((event) => ({
      organizationId: event.organizationId,
      type: event.type,
      body: bodyOf(event),
    }));
    await deliveriesIn(sql).insert(outgoing);
  };
}
