import { LRUCache } from 'lru-cache';

export interface TokenBucketOptions {
  /** Tokens that come back per second; 0 = no limit. */
  perSecond: number;
  burst: number;
  now(): number;
  /** Buckets kept; the longest unused goes first, and it was full again by then or it was an attacker's. */
  bucketsMax?: number;
}

export interface TokenBucket {
  /** Takes one token: null, or the seconds to wait until there is one again. */
  take(name: string): number | null;
}

interface Bucket {
  tokens: number;
  at: number;
}

const BUCKETS_MAX = 50_000;

export function createTokenBucket(options: TokenBucketOptions): TokenBucket {
  const { perSecond, burst, now, bucketsMax = BUCKETS_MAX } = options;
  const buckets = new LRUCache<string, Bucket>({ max: bucketsMax });
  return {
    take(name) {
      if (perSecond === 0) return null;
      const at = now();
      const bucket = buckets.get(name) ?? { tokens: burst, at };
      buckets.set(name, bucket);
      bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
      bucket.at = at;
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perSecond);
      bucket.tokens -= 1;
      return null;
    },
  };
}
