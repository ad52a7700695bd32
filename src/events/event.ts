/** An event is a fact that customers can subscribe to. Its type decides what its data looks like: see the catalogue. */
import type { Catalogue, EventType, PublishedType } from './event-catalogue.schemas.ts';

export type EventData<Type extends EventType> = Catalogue[Type]['example'];

/** What a receiver gets. */
export type EventBody<Type extends EventType = EventType> = {
  [Each in Type]: {
    type: Each;
    /** When it happened. */
    timestamp: Date;
    data: EventData<Each>;
  };
}[Type];

export type DomainEvent<Type extends PublishedType = PublishedType> = EventBody<Type> & {
  organizationId: string;
};

/** One JSON text per event, the same for every endpoint. */
export function serializeEvent({ type, timestamp, data }: EventBody): string {
  return JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
}
