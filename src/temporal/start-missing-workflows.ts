/**
 * Starts the workflows of rows that need one and have none: after a crash between commit and start, while
 * Temporal was away, when the Temporal server lost its data, and when a run was terminated or failed. A run that cannot
 * go on is replaced. Runs hold no truth, so a restarted one continues from the rows.
 */
import { inSlices } from '../process/pages.ts';
import { isToReplace, type LastRun } from './runs.ts';

export interface StartOptions {
  /** Terminates an existing run instead of keeping it. */
  replace: boolean;
}

interface MissingWorkflowsDeps<Ref> {
  /** Rows that need a workflow and were touched by no workflow and no sweep for this long. */
  listWithoutWorkflow(olderThanMs: number, limit: number): Promise<Ref[]>;
  findLastRun(ref: Ref): Promise<LastRun>;
  start(ref: Ref, options: StartOptions): Promise<void>;
  touchWorkflow(ref: Ref): Promise<void>;
  keyOf(ref: Ref): string;
  /** Wakes an existing run, which may have missed a signal when the sending process died. */
  wake?(ref: Ref): Promise<void>;
  /** Whether an existing run does not work, so that it is replaced. */
  isStuck?(ref: Ref): boolean;
  checkIntervalMs: number;
  /** Called after the start of a run that was missing. */
  onStarted(ref: Ref, last: LastRun): void;
  onFault(error: unknown): void;
}

const CHECKED_PER_SWEEP = 200;
const CHECKED_AT_ONCE = 10;
const STUCK: LastRun = { status: 'stuck', reason: 'its work should have ended long ago' };
/** Rows whose start failed in the previous sweep come after the others in this one. */
const FAILED_MAX = 1_000;

/** Returns the sweep. A failed start prevents no other one, in this sweep or in the next. */
export function createMissingWorkflowsSweep<Ref>(deps: MissingWorkflowsDeps<Ref>): () => Promise<void> {
  const { listWithoutWorkflow, findLastRun, start, touchWorkflow, keyOf, checkIntervalMs, onFault } = deps;
  const { isStuck = () => false, wake = async () => {} } = deps;
  let failed = new Set<string>();

  async function startOrWake(ref: Ref): Promise<void> {
    const found = await findLastRun(ref);
    const last = found.status === 'running' && isStuck(ref) ? STUCK : found;
    if (last.status === 'running') return wake(ref);
    await start(ref, { replace: isToReplace(last.status) });
    deps.onStarted(ref, last);
  }

  async function trySucceeds(ref: Ref): Promise<boolean> {
    try {
      await startOrWake(ref);
      await touchWorkflow(ref);
      return true;
    } catch (error) {
      onFault(error);
      return false;
    }
  }

  return async () => {
    const found = await listWithoutWorkflow(checkIntervalMs, CHECKED_PER_SWEEP + failed.size);
    const hasFailed = (ref: Ref) => failed.has(keyOf(ref));
    const inTurn = [...found.filter((ref) => !hasFailed(ref)), ...found.filter(hasFailed)];
    const failing = new Set(found.filter(hasFailed).map(keyOf));
    const check = async (ref: Ref): Promise<void> => {
      if (await trySucceeds(ref)) failing.delete(keyOf(ref));
      else failing.add(keyOf(ref));
    };
    for (const refs of inSlices(inTurn.slice(0, CHECKED_PER_SWEEP), CHECKED_AT_ONCE))
      await Promise.all(refs.map(check));
    failed = new Set([...failing].slice(-FAILED_MAX));
  };
}
