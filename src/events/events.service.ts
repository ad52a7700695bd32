import { channel } from 'node:diagnostics_channel';
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import { serializeEvent, serialNumberOf } from './event.ts';

export interface OutgoingEvent {
  organizationId: string;
  type: string;
  /** Serialized text, which is signed and sent. */
  body: string;
  /** Serial number of the device that the event is about. */
  serialNumber?: string | undefined;
  /** The trace that led to the event. */
  trace?: string | null;
  /** An endpoint that does not receive the event, even if it subscribes. */
  exceptEndpointId?: string | undefined;
}

interface EventsDeps<Endpoint> {
  /** `insert` returns the endpoints that have something to send now. */
  deliveriesIn(sql: Sql): { insert(events: OutgoingEvent[]): Promise<Endpoint[]> };
  /** Called after the commit. */
  onQueued(endpoints: Endpoint[]): void;
  /** Null: without traces. */
  traceOf?: ((event: DomainEvent) => string | null) | null;
}

/**
 * A diagnostics channel, on which tests validate all published events. Costs nothing without a subscriber.
 */
export const PUBLISHED_EVENTS = 'device-monitoring-service:published-events';
const published = channel(PUBLISHED_EVENTS);

export function createPublishEvents<Endpoint>(deps: EventsDeps<Endpoint>): Publish {
  const { deliveriesIn, onQueued, traceOf = null } = deps;
  return async ({ sql, afterCommit }, events) => {
    if (events.length === 0) return;
    const outgoing = events.map((event) => ({
      organizationId: event.organizationId,
      type: event.type,
      body: serializeEvent(event),
      serialNumber: serialNumberOf(event),
      ...(traceOf && { trace: traceOf(event) }),
      exceptEndpointId: event.exceptEndpointId,
    }));
    published.publish(outgoing);
    const queued = await deliveriesIn(sql).insert(outgoing);
    if (queued.length > 0) afterCommit(() => onQueued(queued));
  };
}
