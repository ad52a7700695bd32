import { isRetryable, isUnavailable } from './faults.ts';

/**
 * Processes all items together; when they fail, for a reason that a single one may have, halves of them. So an item that
 * fails does so alone, and holds up no other.
 */
export async function inHalves<Item>(
  items: Item[],
  process: (items: Item[]) => Promise<unknown>,
  onFault: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  const [first, ...others] = items;
  if (first === undefined) return;
  try {
    await process(items);
  } catch (error) {
    if (isFaultOfAll(error)) throw error;
    if (others.length === 0) return onFault(first, error);
    const half = Math.ceil(items.length / 2);
    await inHalves(items.slice(0, half), process, onFault);
    await inHalves(items.slice(half), process, onFault);
  }
}

/** The database is away, or another transaction was in the way: no item is at fault. */
export const isFaultOfAll = (error: unknown): boolean => isUnavailable(error) || isRetryable(error);
