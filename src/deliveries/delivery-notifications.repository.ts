/** What those who queue tell those who send, when their transaction commits. */
import type { Sql } from '../db/database.ts';
import { prepared, query } from '../db/query.ts';

export const QUEUED_CHANNEL = 'deliveries_queued';
/** A notice holds 8,000 bytes. */
export const IDS_PER_NOTICE = 200;
const CHANGED = 'changed ';

export interface Notice {
  kind: 'queued' | 'changed';
  webhookIds: string[];
}

export function noticeOf(payload: string): Notice {
  const isChange = payload.startsWith(CHANGED);
  const ids = isChange ? payload.slice(CHANGED.length) : payload;
  return { kind: isChange ? 'changed' : 'queued', webhookIds: ids.split(',') };
}

/** The endpoint is another one when the transaction commits: what was claimed for the old one goes back. */
export async function notifyChanged(sql: Sql, webhookId: string): Promise<void> {
  await query(sql, 'select pg_notify(?, ?)', [QUEUED_CHANNEL, CHANGED + webhookId]);
}

/** Wakes the dispatchers when the transaction commits. */
export async function notifyQueued(sql: Sql, webhookIds: string[]): Promise<void> {
  for (let at = 0; at < webhookIds.length; at += IDS_PER_NOTICE) {
    await prepared(sql, 'deliveries_notify', 'select pg_notify(?, ?)', [
      QUEUED_CHANNEL,
      webhookIds.slice(at, at + IDS_PER_NOTICE).join(),
    ]);
  }
}
