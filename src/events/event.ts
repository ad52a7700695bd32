import type { EventBody } from '../db/domain-event.ts';

/** Serializes an event to one JSON text, which is the same for every endpoint. */
export function serializeEvent({ type, timestamp, data }: EventBody): string {
  return JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
}

export const serialNumberOf = ({ data }: EventBody): string | undefined =>
  'serialNumber' in data ? data.serialNumber : undefined;
