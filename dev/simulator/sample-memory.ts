/**
 * A logger's memory of samples. A sample leaves it when a confirmable frame that holds it was acknowledged; what went
 * out unconfirmed stays and goes again with the next confirmable frame. So whatever is lost, every sample arrives.
 */
export interface Sample {
  /** Grows by one with each sample. */
  number: number;
  /** Unix seconds. */
  at: number;
  /** To the next sample, as planned. */
  periodSeconds: number;
  /** By channel, as on the wire; null where the sensor failed. */
  values: ReadonlyArray<number | null>;
}

export interface SampleMemory {
  /** Oldest first. */
  samples: readonly Sample[];
  /** Number of the last one that left in any frame. */
  sentThrough: number;
  /** Samples that had to make room. */
  forgotten: number;
}

export const EMPTY_MEMORY: SampleMemory = { samples: [], sentThrough: 0, forgotten: 0 };

/** Of a real logger (its manual: 60,000 measurements), over two channels. */
export const SAMPLES_KEPT_MAX = 30_000;
/** With three channels, and steps too wide for one byte, still below an Ethernet frame. */
export const FRAME_SAMPLES_MAX = 150;

export function remembered(memory: SampleMemory, sample: Sample): SampleMemory {
  const excess = Math.max(0, memory.samples.length + 1 - SAMPLES_KEPT_MAX);
  return {
    ...memory,
    samples: [...memory.samples.slice(excess), sample],
    forgotten: memory.forgotten + excess,
  };
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

/** What the next confirmable frame holds: the oldest samples that are at equal distance. */
export const nextRun = ({ samples }: SampleMemory): readonly Sample[] => runFrom(samples, 0);

/** The samples that never left, in runs. */
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
