/** What those who queue tell those who send, when their transaction commits. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';

export const QUEUED_CHANNEL = 'deliveries_queued';
/** A notice holds 8,000 bytes. */
export const IDS_PER_NOTIFICATION = 200;
const CHANGED = 'changed ';

export interface DeliveryNotification {
  kind: 'queued' | 'changed';
  endpointIds: string[];
}

export function parseNotification(payload: string): DeliveryNotification {
  const isChange = payload.startsWith(CHANGED);
  const ids = isChange ? payload.slice(CHANGED.length) : payload;
  return { kind: isChange ? 'changed' : 'queued', endpointIds: ids.split(',') };
}

/** The endpoint is another one when the transaction commits: what was claimed for the old one goes back. */
export async function notifyChanged(sql: Sql, endpointId: string): Promise<void> {
  await query(sql, 'select pg_notify(?, ?)', [QUEUED_CHANNEL, CHANGED + endpointId]);
}

/** Wakes the dispatchers when the transaction commits. */
export async function notifyQueued(sql: Sql, endpointIds: string[]): Promise<void> {
  for (let at = 0; at < endpointIds.length; at += IDS_PER_NOTIFICATION) {
    await queryPrepared(sql, 'deliveries_notify', 'select pg_notify(?, ?)', [
      QUEUED_CHANNEL,
      endpointIds.slice(at, at + IDS_PER_NOTIFICATION).join(),
    ]);
  }
}
