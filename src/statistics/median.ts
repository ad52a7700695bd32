/**
 * The median of whole seconds. Stores a counter for each distinct number; their sum is bounded by the span.
 */
import { SECOND_MS } from '../process/durations.ts';

const FEWEST = 2;

export function createMedian() {
  const counts = new Map<number, number>();
  let count = 0;

  function nth(position: number, sorted: Array<[number, number]>): number {
    let seen = 0;
    for (const [seconds, times] of sorted) {
      seen += times;
      if (seen > position) return seconds;
    }
    return 0;
  }

  return {
    add(ms: number): void {
      const seconds = Math.max(1, Math.round(ms / SECOND_MS));
      counts.set(seconds, (counts.get(seconds) ?? 0) + 1);
      count++;
    },
    /** Milliseconds; null with fewer than two. */
    result(): number | null {
      if (count < FEWEST) return null;
      const sorted = [...counts].sort(([a], [b]) => a - b);
      const middles = [nth(Math.floor((count - 1) / 2), sorted), nth(Math.floor(count / 2), sorted)];
      return (middles.reduce((sum, seconds) => sum + seconds, 0) / 2) * SECOND_MS;
    },
  };
}
