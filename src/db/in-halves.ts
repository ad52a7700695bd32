import { isRetryable, isUnavailable } from './faults.ts';

/**
 * Processes all items together, and halves of them after a failure that a single item may cause. So a bad
 * item fails alone, and blocks no other.
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

/** The database is away, or another transaction conflicted: no item is at fault. */
export const isFaultOfAll = (error: unknown): boolean => isUnavailable(error) || isRetryable(error);
