/** The memory of processes is flat: late in the run they use about as much as in the middle. */
import { PROCESS_KINDS } from './fault-plan.ts';
import type { Finding, MemorySample } from './records.ts';

/** Younger processes are still growing to their normal size. */
const SETTLED_MS = 20_000;
const GROWTH_MAX = 1.35;
const SLACK_MB = 60;
const SAMPLES_MIN = 6;

export function* checkMemory(samples: readonly MemorySample[]): Generator<Finding> {
  const endMs = maximum(samples.map(({ atMs }) => atMs));
  const [middleMs, lateMs] = [endMs / 3, (endMs * 2) / 3];
  for (const kind of PROCESS_KINDS) {
    const settled = samples.filter((sample) => sample.kind === kind && sample.ageMs >= SETTLED_MS);
    const middle = settled.filter(({ atMs }) => atMs >= middleMs && atMs < lateMs);
    const late = settled.filter(({ atMs }) => atMs >= lateMs);
    if (middle.length < SAMPLES_MIN || late.length < SAMPLES_MIN) continue;
    const [before, after] = [peakMb(middle), peakMb(late)];
    if (after > before * GROWTH_MAX + SLACK_MB)
      yield { about: 'memory', text: `${kind} grew from ${before} to ${after} MB` };
  }
}

const peakMb = (samples: readonly MemorySample[]) => maximum(samples.map(({ rssMb }) => rssMb));

/** A day of samples exceeds the number of arguments of a call. */
const maximum = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
