/** Events are facts that customers can receive. They are published in the transaction in which they became true. */
import type { InTransaction } from './transaction.ts';

/**
 * The data of every type of event. The slice that publishes a type adds it by `declare module`, so that no slice imports
 * the catalogue (src/events), which knows them all and does not compile before it describes the type.
 */
// biome-ignore lint/suspicious/noEmptyInterface: slices add to it
export interface EventTypes {}

export type EventType = keyof EventTypes;

/** What a receiver gets. */
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
  /** An endpoint that does not receive it, although it subscribes. */
  exceptEndpointId?: string;
};

/** Queues the events for every subscribed endpoint: they are stored together with the facts, or not at all. */
export type Publish = (tx: InTransaction, events: DomainEvent[]) => Promise<void>;
