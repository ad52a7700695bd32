/**
 * Signals the workflow of a job that targets changed, at most once per interval. A lost signal costs only
 * time, because the workflow also polls. Signals of a small job name each device, for readers of the Temporal
 * UI. A large job is signalled once per percent of its begun targets and at its end, which keeps its history
 * short; its targets are counted only when the outcomes reported here do not add up to another percent.
 */
import type { TargetOutcome } from '../devices/device-exchange.ts';
import { createBackgroundTasks } from '../process/background-tasks.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { createKeyedSemaphore } from '../process/keyed-semaphore.ts';
import type { Counts, JobRef } from './config-job.ts';

interface ProgressSignalsDeps {
  count(job: JobRef): Promise<Counts>;
  signal(job: JobRef, lines: string[]): Promise<void>;
  /** Minimum time between two signals of a job. */
  intervalMs: number;
  onFault(error: unknown): void;
}

export type ProgressSignals = ReturnType<typeof createProgressSignals>;

const SMALL_JOB_TARGETS = 200;
const LINES_MAX = 50;
/** One that is forgotten costs a count and a signal more. */
const JOBS_MAX = 1_000;
/** Each counts in the database and asks Temporal: an apply may supersede targets of a thousand jobs at once. */
const AT_ONCE = { perKeyMax: 5, totalMax: 10 };

interface PendingProgress {
  job: JobRef;
  lines: string[];
  timer: NodeJS.Timeout | null;
  /** Set when something happened since the last signal. */
  isDue: boolean;
  /** Set while a signal waits for its turn. */
  isQueued: boolean;
  /** Percentage of the begun targets that are still open. */
  lastPercent: number;
  isSmall: boolean;
  /** The targets as last counted, less the outcomes since; null when they have to be counted again. */
  counted: { begun: number; open: number } | null;
}

export function createProgressSignals(deps: ProgressSignalsDeps) {
  const jobs = createBoundedCache<string, PendingProgress>(JOBS_MAX);
  const tasks = createBackgroundTasks(deps.onFault);
  const turns = createKeyedSemaphore(AT_ONCE);
  let isStopping = false;

  function pendingOf(job: JobRef): PendingProgress {
    const pending = jobs.get(job.jobId) ?? newPending(job);
    jobs.set(job.jobId, pending);
    return pending;
  }

  function recordChange(job: JobRef): void {
    const pending = pendingOf(job);
    pending.counted = null;
    pending.isDue = true;
  }

  function recordOutcome({ organizationId, jobId, serialNumber, event }: TargetOutcome): void {
    const pending = pendingOf({ organizationId, jobId });
    if (pending.counted) pending.counted.open--;
    if (pending.lines.length < LINES_MAX) pending.lines.push(`${serialNumber} ${event}`);
    pending.isDue = true;
  }

  function scheduleSignals(jobIds: Iterable<string>): void {
    for (const jobId of new Set(jobIds)) {
      const pending = jobs.get(jobId);
      if (pending && !pending.timer && !pending.isQueued) run(pending);
    }
  }

  /** The first signal is sent at once; later changes within the interval share one signal at its end. */
  function run(pending: PendingProgress): void {
    pending.isQueued = true;
    tasks.add(
      turns.run(pending.job.organizationId, async () => {
        if (isStopping) return;
        pending.isQueued = false;
        startInterval(pending);
        await signalProgress(pending);
      }),
    );
  }

  function startInterval(pending: PendingProgress): void {
    pending.isDue = false;
    pending.timer = setTimeout(() => {
      pending.timer = null;
      if (pending.isDue) run(pending);
      else if (pending.isSmall || pending.lastPercent === 0) jobs.delete(pending.job.jobId);
    }, deps.intervalMs);
    pending.timer.unref();
  }

  async function signalProgress(pending: PendingProgress): Promise<void> {
    // Other processes record outcomes, too: the end of a job is never an estimate.
    const expected = pending.counted ? percentOpen(pending.counted) : 0;
    if (expected > 0 && expected < pending.lastPercent) {
      pending.lastPercent = expected;
      await deps.signal(pending.job, []);
      return;
    }
    const percent = await countOpenPercent(pending);
    const lines = pending.lines.splice(0);
    if (!pending.isSmall && percent === pending.lastPercent) return;
    pending.lastPercent = percent;
    await deps.signal(pending.job, pending.isSmall ? lines : []);
  }

  async function countOpenPercent(pending: PendingProgress): Promise<number> {
    const { queued, waiting, sent, ...settled } = await deps.count(pending.job);
    const open = waiting + sent;
    const begun = Object.values(settled).reduce((sum, count) => sum + count, open);
    pending.isSmall = begun + queued <= SMALL_JOB_TARGETS;
    pending.counted = pending.isSmall ? null : { begun, open };
    return percentOpen({ begun, open });
  }

  return {
    /** Targets of these jobs changed, an unknown number of them. */
    progressed(organizationId: string, jobIds: string[]): void {
      for (const jobId of jobIds) recordChange({ organizationId, jobId });
      scheduleSignals(jobIds);
    },
    recordOutcomes(outcomes: TargetOutcome[]): void {
      for (const outcome of outcomes) recordOutcome(outcome);
      scheduleSignals(outcomes.map(({ jobId }) => jobId));
    },
    /** Somebody changed the job itself: its run has something to do, whatever its targets are. */
    jobChanged(job: JobRef): void {
      recordChange(job);
      pendingOf(job).lastPercent = -1;
      scheduleSignals([job.jobId]);
    },
    /** Sends due signals, without turns, and waits for those under way. */
    async flush(): Promise<void> {
      isStopping = true;
      for (const pending of jobs.values()) {
        if (pending.timer) clearTimeout(pending.timer);
        if (pending.isDue) tasks.add(signalProgress(pending));
      }
      await tasks.drain();
    },
  };
}

const newPending = (job: JobRef): PendingProgress => ({
  job,
  lines: [],
  timer: null,
  isDue: false,
  isQueued: false,
  lastPercent: -1,
  isSmall: false,
  counted: null,
});

const percentOpen = ({ begun, open }: { begun: number; open: number }) =>
  Math.ceil((open / Math.max(begun, 1)) * 100);
