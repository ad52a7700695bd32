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
  const refilled = ({ tokens, at }: Bucket, nowMs: number) =>
    Math.min(burst, tokens + ((nowMs - at) / 1000) * perSecond);
  return {
    /** Takes one token. Returns null, or the seconds until the next token is available. */
    take(name: string): number | null {
      if (perSecond === 0) return null;
      const at = monotonicMs();
      const tokens = refilled(buckets.get(name) ?? { tokens: burst, at }, at);
      buckets.set(name, { tokens: tokens < 1 ? tokens : tokens - 1, at });
      return tokens < 1 ? Math.ceil((1 - tokens) / perSecond) : null;
    },
    /** Whether the next `take` would have to wait. */
    isEmpty(name: string): boolean {
      const bucket = perSecond === 0 ? undefined : buckets.get(name);
      return bucket !== undefined && refilled(bucket, monotonicMs()) < 1;
    },
  };
}
