import { createBoundedCache } from '../process/bounded-cache.ts';

interface TokenBucketOptions {
  /** Tokens added per second; 0 = no limit. */
  perSecond: number;
  burst: number;
  /** Never adjusted, because a clock that is set back would empty every bucket. */
  monotonicMs(): number;
}

export type TokenBucket = ReturnType<typeof createTokenBucket>;

interface Bucket {
  tokens: number;
  at: number;
}

/** The least recently used bucket is dropped first, and has most likely refilled by then. */
const BUCKETS_MAX = 50_000;

export function createTokenBucket({ perSecond, burst, monotonicMs }: TokenBucketOptions) {
  const buckets = createBoundedCache<string, Bucket>(BUCKETS_MAX);
  function addBucket(name: string, at: number): Bucket {
    const bucket = { tokens: burst, at };
    buckets.set(name, bucket);
    return bucket;
  }
  const refilled = ({ tokens, at }: Bucket, nowMs: number) =>
    Math.min(burst, tokens + ((nowMs - at) / 1000) * perSecond);
  return {
    /** Takes one token. Returns null, or the seconds until the next token is available. */
    take(name: string): number | null {
      if (perSecond === 0) return null;
      const at = monotonicMs();
      const bucket = buckets.get(name) ?? addBucket(name, at);
      bucket.tokens = refilled(bucket, at);
      bucket.at = at;
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perSecond);
      bucket.tokens -= 1;
      return null;
    },
    /** Whether the next `take` would have to wait. */
    isEmpty(name: string): boolean {
      const bucket = perSecond === 0 ? undefined : buckets.get(name);
      return bucket !== undefined && refilled(bucket, monotonicMs()) < 1;
    },
  };
}
