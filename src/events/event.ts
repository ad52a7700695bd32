/** What customers are told of: one JSON text per event, the same for every endpoint. */
export interface DomainEvent {
  organizationId: string;
  type: string;
  /** When it happened. */
  timestamp: Date;
  data: object;
}

export const TEST_EVENT = 'webhook.test';

export function bodyOf({ type, timestamp, data }: Omit<DomainEvent, 'organizationId'>): string {
  return JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
}
