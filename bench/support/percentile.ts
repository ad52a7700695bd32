import { round } from './table.ts';

/** `sorted` values; a `share` of 0.99 is the 99th percentile. */
export const percentile = (sorted: number[], share: number): number =>
  round(sorted[Math.floor(sorted.length * share)] ?? 0);
