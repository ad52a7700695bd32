import { createCounts } from '../process/counts.ts';
import { rateLimited } from '../process/errors.ts';
import { type ClosingResponse, whenGone } from './when-gone.ts';

const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
/** Smaller answers fit into the buffers of the system. */
const COUNTED_FROM = 16 * 1024;

/** @throws rate_limited */
export type CountUnread = (owner: string, bytes: number, response: ClosingResponse) => void;

/** A budget for the answers that clients of one owner have yet to read: slow readers would hold any number in memory. */
export function createAnswerBudget(): CountUnread {
  const unread = createCounts();
  return (owner, bytes, response) => {
    if (bytes < COUNTED_FROM || response.destroyed) return;
    if (unread.of(owner) + bytes > UNREAD_BYTES_MAX)
      throw rateLimited('Too many answers have not been read: read those before', 5);
    unread.add(owner, bytes);
    whenGone(response, () => unread.add(owner, -bytes));
  };
}
