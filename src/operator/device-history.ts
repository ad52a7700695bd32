/** Entries of the history of a device. */
import type { StoredAuditEntry } from '../audit/audit.ts';
import type { Content } from './html.ts';

/** Entries of each kind. */
export const HISTORY_MAX = 50;

export interface HistoryEntry {
  at: string;
  /** Null: the service, or unknown. */
  by: string | null;
  text: string;
  /** Page of the thing that it is about, beside the device. */
  href: string | null;
  detail: Content;
  /** Shown with the fields that it has changed. */
  audit: Pick<StoredAuditEntry, 'before' | 'after'> | null;
}
