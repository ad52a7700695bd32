/** Waits for a job of configuration changes. */
import type { CallOptions, Client } from './client.ts';
import type { Result } from './operation-types.ts';
import { sleep } from './sleep.ts';

export type ConfigJob = Result<'getConfigJob'>;

export interface WaitOptions {
  /** Called with the job first, and whenever its counts have changed. */
  onProgress?(job: ConfigJob): void;
  signal?: AbortSignal;
  /** Interval of polls while counts change; up to ten times as long otherwise. Default: 1 s. */
  pollMs?: number;
}

const POLL_MS = 1_000;
const SLOWEST = 10;
const UNDER_WAY = new Set<string>(['scheduled', 'running']);

/**
 * Waits until every device of the job runs the configuration or has refused it, the deadline is over, or the
 * job was cancelled or aborted; its `status` shows which.
 */
export async function waitUntilApplied(
  dms: Pick<Client, 'getConfigJob'>,
  jobId: string,
  { onProgress, signal, pollMs = POLL_MS }: WaitOptions = {},
): Promise<ConfigJob> {
  const options: CallOptions = signal ? { signal } : {};
  let seen = '';
  let waitMs = pollMs;
  for (;;) {
    const job = await dms.getConfigJob({ jobId }, options);
    const state = JSON.stringify([job.status, job.counts]);
    if (state !== seen) onProgress?.(job);
    if (!UNDER_WAY.has(job.status)) return job;
    waitMs = state === seen ? Math.min(waitMs * 1.5, pollMs * SLOWEST) : pollMs;
    seen = state;
    await sleep(waitMs, signal);
  }
}
