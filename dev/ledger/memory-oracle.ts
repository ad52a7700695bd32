/** The memory of processes is flat: what they need late in the run is about what they need in the middle of it. */
import type { Finding, MemorySample } from './records.ts';

/** Younger processes are still growing to their size. */
const SETTLED_MS = 20_000;
const GROWTH_MAX = 1.35;
const SLACK_MB = 60;
const SAMPLES_MIN = 6;

export function* checkMemory(samples: readonly MemorySample[]): Generator<Finding> {
  const endMs = Math.max(...samples.map(({ atMs }) => atMs));
  for (const kind of new Set(samples.map(({ member }) => kindOf(member)))) {
    const settled = samples.filter(({ member, ageMs }) => kindOf(member) === kind && ageMs >= SETTLED_MS);
    const middle = settled.filter(({ atMs }) => atMs >= endMs / 3 && atMs < (2 * endMs) / 3);
    const late = settled.filter(({ atMs }) => atMs >= (2 * endMs) / 3);
    if (middle.length < SAMPLES_MIN || late.length < SAMPLES_MIN) continue;
    const [before, after] = [middle, late].map((each) => Math.max(...each.map(({ rssMb }) => rssMb))) as [
      number,
      number,
    ];
    if (after > before * GROWTH_MAX + SLACK_MB)
      yield { about: 'memory', text: `${kind} grew from ${before} to ${after} MB` };
  }
}

const kindOf = (member: string) => member.split('-')[0] ?? member;
