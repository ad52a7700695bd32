/** Limits concurrent long requests: per key, per organization, and in this process. */
import type { Readable } from 'node:stream';
import { createCounts } from '../process/counts.ts';
import { AppError } from '../process/errors.ts';
import { type ClosingResponse, whenGone } from './when-gone.ts';

interface ConcurrencyLimitOptions {
  /** Used in messages, for example `exports`. */
  name: string;
  perKeyMax: number;
  /** For all keys of an organization. Default: half of the process, and never all of it. */
  perOrganizationMax?: number;
  perProcessMax: number;
}

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

interface Requester {
  keyId: string;
  organizationId: string;
}

const RETRY_AFTER = { headers: { 'Retry-After': '5' } };

export function createConcurrencyLimit(options: ConcurrencyLimitOptions) {
  const { name, perKeyMax, perProcessMax } = options;
  const { perOrganizationMax = organizationShare(options) } = options;
  const [keys, organizations] = [createCounts(), createCounts()];
  let total = 0;

  /** Returns a function that releases the place, once. */
  function acquire({ keyId, organizationId }: Requester): () => void {
    if (keys.of(keyId) >= perKeyMax) throw tooMany(perKeyMax, 'for this API key');
    if (total >= perProcessMax) {
      throw new AppError('unavailable', `There are too many ${name} at present: try again soon`, RETRY_AFTER);
    }
    if (organizations.of(organizationId) >= perOrganizationMax) {
      throw tooMany(perOrganizationMax, 'for all API keys of an organization together');
    }
    const add = (change: 1 | -1) => {
      total += change;
      keys.add(keyId, change);
      organizations.add(organizationId, change);
    };
    add(1);
    let isHeld = true;
    return () => {
      if (isHeld) add(-1);
      isHeld = false;
    };
  }

  const tooMany = (max: number, whose: string) =>
    new AppError(
      'rate_limited',
      `At most ${max} ${name} at once ${whose}: wait until one has ended`,
      RETRY_AFTER,
    );

  return {
    /** Counts until the work is done. */
    async run<T>(caller: Requester, work: () => Promise<T>): Promise<T> {
      const release = acquire(caller);
      try {
        return await work();
      } finally {
        release();
      }
    },
    /** Counts until the client has read the answer that the work makes, or has gone. */
    async answer<T>(caller: Requester, response: ClosingResponse, work: () => Promise<T>): Promise<T> {
      const release = acquire(caller);
      try {
        const result = await work();
        whenGone(response, release);
        return result;
      } catch (error) {
        release();
        throw error;
      }
    },
    /** Counts until the stream has ended or was destroyed. */
    async stream(caller: Requester, open: () => Promise<Readable>): Promise<Readable> {
      const release = acquire(caller);
      try {
        return (await open()).once('close', release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Two of an organization and eight of a process at once, for requests that hold much in memory while they run. */
export const createLimitOfTwo = (name: string): ConcurrencyLimit =>
  createConcurrencyLimit({ name, perKeyMax: 2, perOrganizationMax: 2, perProcessMax: 8 });

/**
 * The limit of an organization with any number of keys leaves room for others: half, unless one key may have
 * more.
 */
function organizationShare({ perKeyMax, perProcessMax }: ConcurrencyLimitOptions): number {
  const half = Math.ceil(perProcessMax / 2);
  return Math.max(1, Math.min(Math.max(half, perKeyMax), perProcessMax - 1));
}
