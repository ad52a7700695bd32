/**
 * Starts the workflows of rows that need one and have none: after a crash between commit and start, while Temporal was
 * away, or when the Temporal server lost its data. Starting a workflow that runs is harmless.
 */
export interface MissingWorkflowsDeps<Ref> {
  /** Rows that need a workflow and that no workflow has touched for this long. */
  listWithoutWorkflow(olderThanMs: number, limit: number): Promise<Ref[]>;
  start(ref: Ref): Promise<void>;
  touchWorkflow(ref: Ref): Promise<void>;
  keyOf(ref: Ref): string;
  /** A workflow touches its row at least this often. */
  pollIntervalMs: number;
  onFault(error: unknown): void;
}

const STARTED_PER_SWEEP = 200;
const MISSED_POLLS = 3;
/** Rows whose start failed in the sweep before and that wait behind the others in this one. */
const FAILED_MAX = 1_000;

/** Answers with the sweep. A start that fails keeps no other from being tried, in this sweep or in the next. */
export function createMissingWorkflowsSweep<Ref>(deps: MissingWorkflowsDeps<Ref>): () => Promise<void> {
  const { listWithoutWorkflow, start, touchWorkflow, keyOf, pollIntervalMs, onFault } = deps;
  let failed = new Set<string>();

  async function tryStart(ref: Ref): Promise<boolean> {
    try {
      await start(ref);
      await touchWorkflow(ref);
      return true;
    } catch (error) {
      onFault(error);
      return false;
    }
  }

  return async () => {
    const found = await listWithoutWorkflow(pollIntervalMs * MISSED_POLLS, STARTED_PER_SWEEP + failed.size);
    const hasFailed = (ref: Ref) => failed.has(keyOf(ref));
    const inTurn = [...found.filter((ref) => !hasFailed(ref)), ...found.filter(hasFailed)];
    const failing = new Set(found.filter(hasFailed).map(keyOf));
    for (const ref of inTurn.slice(0, STARTED_PER_SWEEP)) {
      if (await tryStart(ref)) failing.delete(keyOf(ref));
      else failing.add(keyOf(ref));
    }
    failed = new Set([...failing].slice(-FAILED_MAX));
  };
}
