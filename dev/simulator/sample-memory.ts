/**
 * A logger's memory of samples. A sample is removed when a confirmable frame with it was acknowledged;
 * samples in other frames stay and are sent again with the next confirmable frame. So every sample arrives,
 * despite any losses.
 */
export interface Sample {
  /** Grows by one with each sample. */
  number: number;
  /** Unix seconds. */
  at: number;
  /** Planned time to the next sample. */
  periodSeconds: number;
  /** By channel, as on the wire; null when the sensor failed. */
  values: ReadonlyArray<number | null>;
}

export interface SampleMemory {
  /** Oldest first. */
  samples: readonly Sample[];
  /** Number of the last sample that was sent in any frame. */
  sentThrough: number;
}

export const EMPTY_MEMORY: SampleMemory = { samples: [], sentThrough: 0 };

/** As in a real logger: 60,000 measurements (its manual), for two channels. */
const SAMPLES_KEPT_MAX = 30_000;
/** Fits into an Ethernet frame, even with three channels and offsets of several bytes. */
export const FRAME_SAMPLES_MAX = 150;

export function remembered(memory: SampleMemory, sample: Sample): SampleMemory {
  const excess = Math.max(0, memory.samples.length + 1 - SAMPLES_KEPT_MAX);
  return { ...memory, samples: [...memory.samples.slice(excess), sample] };
}

export const acknowledgedThrough = (memory: SampleMemory, number: number): SampleMemory => ({
  ...memory,
  samples: memory.samples.filter((sample) => sample.number > number),
  sentThrough: Math.max(memory.sentThrough, number),
});

export const sent = (memory: SampleMemory, number: number): SampleMemory => ({
  ...memory,
  sentThrough: Math.max(memory.sentThrough, number),
});

/** The samples of the next confirmable frame: the oldest equally spaced ones. */
export const nextRun = ({ samples }: SampleMemory): readonly Sample[] => runFrom(samples, 0);

/** Samples that were never sent, in equally spaced runs. */
export function unsentRuns({ samples, sentThrough }: SampleMemory): Array<readonly Sample[]> {
  const runs: Array<readonly Sample[]> = [];
  let at = samples.findIndex(({ number }) => number > sentThrough);
  while (at >= 0 && at < samples.length) {
    const run = runFrom(samples, at);
    runs.push(run);
    at += run.length;
  }
  return runs;
}

function runFrom(samples: readonly Sample[], from: number): readonly Sample[] {
  let end = from + 1;
  while (end < samples.length && end - from < FRAME_SAMPLES_MAX) {
    const [before, next] = [samples[end - 1] as Sample, samples[end] as Sample];
    if (next.at - before.at !== before.periodSeconds || next.periodSeconds !== before.periodSeconds) break;
    end++;
  }
  return samples.slice(from, end);
}
