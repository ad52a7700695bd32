/**
 * How long test files took last time. The longest begin first, so that none of them is left running alone at
 * the end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ROOT } from '../../dev/source/imports.ts';

const FILE = `${ROOT}test/runner/durations.json`;
/** Shorter files fill the remaining time, in any order. */
const KEPT_SECONDS_MIN = 1;

/** Unknown files come first. */
export function longestFirst(files: string[]): string[] {
  const seconds: Record<string, number> = JSON.parse(readFileSync(FILE, 'utf8'));
  const isKnown = Object.keys(seconds).length > 0;
  const rank = (file: string) => seconds[file] ?? (isKnown ? 0 : Number.POSITIVE_INFINITY);
  return [...files].sort((a, b) => rank(b) - rank(a));
}

/** Of a whole run: one that was interrupted leaves those that stand. */
export function keepDurations(durationsMs: Record<string, number>): void {
  if (Object.keys(durationsMs).length === 0) return;
  const seconds = Object.entries(durationsMs)
    .map(([file, ms]) => [file, Math.round(ms / 1_000)] as const)
    .filter(([, rounded]) => rounded >= KEPT_SECONDS_MIN)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`);
}
