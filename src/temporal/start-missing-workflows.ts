/**
 * Starts the workflows of rows that need one and have none: after a crash between commit and start, while Temporal was
 * away, when the Temporal server lost its data, and when a run was terminated or failed. Runs hold no truth, so one that
 * is started anew goes on from the rows.
 */
import type { LastRun } from './runs.ts';

export interface MissingWorkflowsDeps<Ref> {
  /** Rows that need a workflow and that no workflow and no sweep has touched for this long. */
  listWithoutWorkflow(olderThanMs: number, limit: number): Promise<Ref[]>;
  findLastRun(ref: Ref): Promise<LastRun>;
  start(ref: Ref): Promise<void>;
  touchWorkflow(ref: Ref): Promise<void>;
  keyOf(ref: Ref): string;
  /** A run that is there may have missed a signal, which is lost with the process that was to send it. */
  wake?(ref: Ref): Promise<void>;
  /** A run that does not work, although it is there: it is replaced. */
  isStuck?(ref: Ref): boolean;
  checkIntervalMs: number;
  /** After the start of a run that was missing. */
  onStarted(ref: Ref, last: LastRun): void;
  onFault(error: unknown): void;
}

const CHECKED_PER_SWEEP = 200;
const CHECKED_AT_ONCE = 10;
/** Rows whose start failed in the sweep before and that wait behind the others in this one. */
const FAILED_MAX = 1_000;

/** Answers with the sweep. A start that fails keeps no other from being tried, in this sweep or in the next. */
export function createMissingWorkflowsSweep<Ref>(deps: MissingWorkflowsDeps<Ref>): () => Promise<void> {
  const { listWithoutWorkflow, findLastRun, start, touchWorkflow, keyOf, checkIntervalMs, onFault } = deps;
  const { isStuck = () => false, wake = async () => {} } = deps;
  let failed = new Set<string>();

  async function startOrWake(ref: Ref): Promise<void> {
    const last = await findLastRun(ref);
    if (last.status === 'running' && !isStuck(ref)) return wake(ref);
    await start(ref);
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
    const toCheck = inTurn.slice(0, CHECKED_PER_SWEEP);
    for (let index = 0; index < toCheck.length; index += CHECKED_AT_ONCE)
      await Promise.all(toCheck.slice(index, index + CHECKED_AT_ONCE).map(check));
    failed = new Set([...failing].slice(-FAILED_MAX));
  };
}
