import type { EventBody } from '../db/domain-event.ts';

/** Serializes an event to one JSON text, which is the same for every endpoint. */
export function serializeEvent({ type, timestamp, data }: EventBody): string {
  return JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
}

export const serialNumberOf = ({ data }: EventBody): string | undefined =>
  'serialNumber' in data ? data.serialNumber : undefined;

/**
 * The two collections of webhooks in the API: cellular ones get whole frames of readings, event ones
 * everything else.
 */
export type Collection = 'cellular' | 'event';
