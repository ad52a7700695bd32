import { LRUCache } from 'lru-cache';

/**
 * A cache with a maximum number of entries; the least recently used one is dropped first. Its memory grows
 * with its entries, while the library would allocate room for all of them at once: a process has several
 * caches of 50,000 to 200,000.
 */
export const createBoundedCache = <Key extends {}, Value extends {}>(
  entriesMax: number,
  options: { ttl?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1, ...options });
