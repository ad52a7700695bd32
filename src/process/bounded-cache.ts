import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many entries; the least recently used goes first. Its memory grows with its entries, where the
 * library would allocate room for all of them at once: a process has several caches of 50,000 to 200,000.
 */
export const createBoundedCache = <Key extends {}, Value extends {}>(
  entriesMax: number,
  options: { ttl?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1, ...options });
