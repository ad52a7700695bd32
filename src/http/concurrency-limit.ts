/** How many long requests may be under way at once: of one key, and in this process. */
import type { Readable } from 'node:stream';
import { AppError } from '../process/errors.ts';

export interface ConcurrencyLimitOptions {
  /** For messages: `exports`. */
  name: string;
  perKeyMax: number;
  perProcessMax: number;
}

export interface ConcurrencyLimit {
  /** Counts until the work is done. */
  run<T>(keyId: string, work: () => Promise<T>): Promise<T>;
  /** Counts until the stream has ended or was destroyed. */
  stream(keyId: string, open: () => Promise<Readable>): Promise<Readable>;
}

const RETRY_AFTER = { headers: { 'Retry-After': '5' } };

export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { name, perKeyMax, perProcessMax } = options;
  const underWay = new Map<string, number>();
  let total = 0;

  /** Answers with what gives the place back, once. */
  function acquire(keyId: string): () => void {
    const ofKey = underWay.get(keyId) ?? 0;
    if (ofKey >= perKeyMax) {
      throw new AppError(
        'rate_limited',
        `At most ${perKeyMax} ${name} at once with this API key: wait until one has ended`,
        RETRY_AFTER,
      );
    }
    if (total >= perProcessMax) {
      throw new AppError('unavailable', `There are too many ${name} at present: try again soon`, RETRY_AFTER);
    }
    total++;
    underWay.set(keyId, ofKey + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      total--;
      const left = (underWay.get(keyId) as number) - 1;
      if (left > 0) underWay.set(keyId, left);
      else underWay.delete(keyId);
    };
  }

  return {
    async run(keyId, work) {
      const release = acquire(keyId);
      try {
        return await work();
      } finally {
        release();
      }
    },
    async stream(keyId, open) {
      const release = acquire(keyId);
      try {
        return (await open()).once('close', release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
