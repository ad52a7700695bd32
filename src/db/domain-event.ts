/** Events are facts that customers can receive. They are published in the transaction that made them true. */
import type { InTransaction } from './transaction.ts';

/**
 * The data of every type of event. The slice that publishes a type adds it by `declare module`, so that no
 * slice imports the catalogue (src/events), which describes all types and does not compile until it has the
 * new one.
 */
// biome-ignore lint/suspicious/noEmptyInterface: slices add to it
export interface EventTypes {}

export type EventType = keyof EventTypes;

/** The content that a receiver gets. */
export type EventBody<Type extends EventType = EventType> = {
  [Each in Type]: {
    type: Each;
    /** When it happened. */
    timestamp: Date;
    data: EventTypes[Each];
  };
}[Type];

export type DomainEvent<Type extends EventType = EventType> = EventBody<Type> & {
  organizationId: string;
  /** An endpoint that does not receive the event, even if it subscribes. */
  exceptEndpointId?: string;
};

/** Queues the events for every subscribed endpoint, in the transaction of the facts. */
export type Publish = (tx: InTransaction, events: DomainEvent[]) => Promise<void>;
