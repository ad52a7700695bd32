/**
 * Every acknowledged job exists once and has ended; its counts match its targets; applied changes were
 * reported.
 */
import type { AcknowledgedJob, ActualDevice, Finding, RuleMark, StoredJob } from './records.ts';

const FINAL = ['applied', 'failed', 'cancelled', 'superseded', 'timed_out'];
const CANCELLING = ['cancelled', 'aborted'];

/**
 * If the run of a job or its worker dies, the job continues within 30 seconds; the rest allows for a busy
 * machine.
 */
const STILL_MS_MAX = 45_000;

export interface JobsRecords {
  acknowledged: readonly AcknowledgedJob[];
  actual: readonly ActualDevice[];
  /** End of the last fault, ISO 8601. */
  faultsEndedAt: string;
}

export function* checkJobs(
  { acknowledged, actual, faultsEndedAt }: JobsRecords,
  stored: readonly StoredJob[],
): Generator<Finding> {
  const known = new Map(acknowledged.map((job) => [job.jobId, job]));
  const devices = new Map(actual.map((device) => [device.serialNumber, device]));
  const ids = new Set(stored.map(({ id }) => id));
  for (const jobId of known.keys()) if (!ids.has(jobId)) yield finding(jobId, 'was acknowledged and is gone');
  if (ids.size !== stored.length) yield finding('The list', 'names a job twice');
  for (const job of stored) {
    const asked = known.get(job.id);
    if (!asked) yield finding(job.id, 'is there and was never acknowledged');
    yield* checkEnd(job);
    yield* checkStandstill(job, Date.parse(faultsEndedAt));
    if (asked) yield* checkTargets(job, asked, devices);
  }
}

function* checkEnd({ id, status, total, counts, targets }: StoredJob): Generator<Finding> {
  if (status === 'running') yield finding(id, 'has not ended');
  const sum = Object.values(counts).reduce((a, b) => a + b, 0);
  if (sum !== total || targets.length !== total)
    yield finding(id, `has ${total} devices, ${sum} counted and ${targets.length} targets`);
  for (const state of new Set(targets.map((target) => target.state))) {
    const listed = targets.filter((target) => target.state === state).length;
    const counted = counts[state === 'timed_out' ? 'timedOut' : state];
    if (counted !== listed) yield finding(id, `counts ${counted} ${state} and lists ${listed}`);
    if (status !== 'running' && !FINAL.includes(state)) yield finding(id, `has ended with a target ${state}`);
  }
  const failures = targets.filter(({ state }) => state === 'failed' || state === 'timed_out').length;
  if (status === 'succeeded' && failures > 0) yield finding(id, `has succeeded with ${failures} failures`);
}

/** A job ends soon after its last device, or after the last fault. */
function* checkStandstill({ id, finishedAt, targets }: StoredJob, faultsEndedMs: number): Generator<Finding> {
  if (finishedAt === null) return;
  // Later confirmations by devices still change targets of ended jobs.
  const finishedMs = Date.parse(finishedAt);
  const updates = targets.map(({ updatedAt }) => Date.parse(updatedAt)).filter((ms) => ms <= finishedMs);
  const stillMs = finishedMs - Math.max(faultsEndedMs, ...updates);
  if (stillMs > STILL_MS_MAX)
    yield finding(id, `stood still for ${Math.round(stillMs / 1000)} s after its last device`);
}

function* checkTargets(
  { id, status, targets }: StoredJob,
  { mark, serials, isCancelled }: AcknowledgedJob,
  devices: ReadonlyMap<string, ActualDevice>,
): Generator<Finding> {
  if (status === 'cancelled' && !isCancelled) yield finding(id, 'is cancelled and nobody asked for it');
  const wanted = serials && new Set(serials);
  if (wanted && (wanted.size !== targets.length || targets.some((each) => !wanted.has(each.serialNumber))))
    yield finding(id, 'has other devices than were asked for');
  for (const { serialNumber, state } of targets) {
    const device = devices.get(serialNumber);
    if (state === 'applied' && !device?.reported.some((reported) => isSame(reported, mark)))
      yield finding(id, `counts ${serialNumber} as applied, which never reported it`);
    if (state === 'cancelled' && !CANCELLING.includes(status))
      yield finding(id, `is ${status} and has ${serialNumber} as cancelled`);
  }
}

const isSame = (a: RuleMark, b: RuleMark) => a.highC === b.highC && a.hysteresisC === b.hysteresisC;

const finding = (job: string, text: string): Finding => ({ about: 'jobs', text: `${job} ${text}` });
