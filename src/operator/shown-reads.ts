/** Reads of many devices, for pages that are drawn every few seconds. */
import { createBoundedCache } from '../process/bounded-cache.ts';
import { createSharedReads } from '../process/shared-reads.ts';

const LARGE_DEVICES = 20_000;
const SHOWN_MS = 10_000;
const SHOWN_MAX = 1_000;

interface Counted<Counts> {
  counts: Counts;
  devices: number;
}

/** Repeats a read of many devices only after some seconds, and once for several people at a time. */
export function createShown<Counts>(now: () => Date, count: (key: string) => Promise<Counted<Counts>>) {
  const shown = createBoundedCache<string, { atMs: number; counted: Counted<Counts> }>(SHOWN_MAX);
  const read = createSharedReads(count);
  return async (key: string): Promise<Counted<Counts>> => {
    const atMs = now().getTime();
    const last = shown.get(key);
    if (last && Math.abs(atMs - last.atMs) < SHOWN_MS) return last.counted;
    const counted = await read(key);
    if (counted.devices >= LARGE_DEVICES) shown.set(key, { atMs, counted });
    return counted;
  };
}
