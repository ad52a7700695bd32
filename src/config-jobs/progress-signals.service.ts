/**
 * Tells a job's workflow that something moved, sparingly: the rows are the truth, a signal only saves the wait for the
 * next look. A small job hears each device by name, so that the Temporal UI tells its story; a large one hears of
 * each percent of what has begun and of its end, so its history stays short however many devices it has. Its targets are
 * counted only when what was heard does not tell already that a percent is full.
 */
import type { Counts } from './config-job.ts';

export interface ProgressSignalsDeps {
  count(jobId: string): Promise<Counts>;
  /** Never throws; a signal that does not arrive is made up for by the workflow's own slow look. */
  signal(jobId: string, lines: string[]): Promise<void>;
  /** At most one signal per job in this time. */
  intervalMs: number;
  onFault(error: unknown): void;
}

export interface ProgressSignals {
  progressed(jobIds: string[]): void;
  recordOutcomes(outcomes: Array<{ jobId: string; serialNumber: string; event: string }>): void;
  /** Waits for what is under way. */
  flush(): Promise<void>;
}

const SMALL_JOB_TARGETS = 200;
const LINES_MAX = 50;

interface JobMemory {
  lines: string[];
  timer: NodeJS.Timeout | null;
  isDue: boolean;
  lastPercent: number;
  isSmall: boolean;
  /** What was begun and open when it was last counted, and what was heard of since; null: to be counted. */
  counted: { begun: number; open: number } | null;
  recordOutcomes: number;
}

export function createProgressSignals(deps: ProgressSignalsDeps): ProgressSignals {
  const jobs = new Map<string, JobMemory>();
  const underWay = new Set<Promise<void>>();

  function record(jobId: string, line?: string): void {
    const memory = jobs.get(jobId) ?? {
      lines: [],
      timer: null,
      isDue: false,
      lastPercent: -1,
      isSmall: false,
      counted: null,
      recordOutcomes: 0,
    };
    jobs.set(jobId, memory);
    if (line === undefined) memory.counted = null;
    else memory.recordOutcomes++;
    if (line !== undefined && memory.lines.length < LINES_MAX) memory.lines.push(line);
    memory.isDue = true;
  }

  /** Once all is noted that is known. */
  function scheduleSignal(jobIds: Iterable<string>): void {
    for (const jobId of new Set(jobIds)) {
      const memory = jobs.get(jobId);
      if (memory && !memory.timer) run(jobId, memory);
    }
  }

  /** The first news go out at once, what follows within the interval goes out together at its end. */
  function run(jobId: string, memory: JobMemory): void {
    memory.isDue = false;
    memory.timer = setTimeout(() => {
      memory.timer = null;
      if (memory.isDue) run(jobId, memory);
      else if (memory.isSmall || memory.lastPercent === 0) jobs.delete(jobId);
    }, deps.intervalMs);
    memory.timer.unref();
    const work = look(jobId, memory)
      .catch(deps.onFault)
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  async function look(jobId: string, memory: JobMemory): Promise<void> {
    const expected = expectedPercent(memory);
    if (expected > 0 && expected < memory.lastPercent) {
      memory.lastPercent = expected;
      await deps.signal(jobId, []);
      return;
    }
    memory.recordOutcomes = 0;
    const { queued, waiting, sent, ...settled } = await deps.count(jobId);
    const open = waiting + sent;
    const begun = Object.values(settled).reduce((sum, count) => sum + count, open);
    memory.isSmall = begun + queued <= SMALL_JOB_TARGETS;
    memory.counted = memory.isSmall ? null : { begun, open };
    const lines = memory.lines.splice(0);
    const percent = percentOf({ begun, open });
    if (!memory.isSmall && percent === memory.lastPercent) return;
    memory.lastPercent = percent;
    await deps.signal(jobId, memory.isSmall ? lines : []);
  }

  return {
    progressed: (jobIds) => {
      for (const jobId of jobIds) record(jobId);
      scheduleSignal(jobIds);
    },
    recordOutcomes: (outcomes) => {
      for (const { jobId, serialNumber, event } of outcomes) record(jobId, `${serialNumber} ${event}`);
      scheduleSignal(outcomes.map(({ jobId }) => jobId));
    },
    async flush() {
      for (const [jobId, memory] of jobs) {
        if (memory.timer) clearTimeout(memory.timer);
        if (memory.isDue) run(jobId, memory);
      }
      await Promise.allSettled(underWay);
      for (const { timer } of jobs.values()) if (timer) clearTimeout(timer);
    },
  };
}

/** Still open by what was heard; 0 or less when only the rows can tell. Other processes hear of more. */
function expectedPercent({ counted, recordOutcomes }: JobMemory): number {
  return counted ? percentOf({ ...counted, open: counted.open - recordOutcomes }) : 0;
}

const percentOf = ({ begun, open }: { begun: number; open: number }) =>
  Math.ceil((open / Math.max(begun, 1)) * 100);
