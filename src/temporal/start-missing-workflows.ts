/**
 * Starts the workflows of rows that need one and have none: after a crash between commit and start, while Temporal was
 * away, or when the Temporal server lost its data. Starting a workflow that runs is harmless.
 */
export interface MissingWorkflowsDeps<Ref> {
  /** Rows that need a workflow and that no workflow has touched for this long. */
  listWithoutWorkflow(olderThanMs: number, limit: number): Promise<Ref[]>;
  start(ref: Ref): Promise<void>;
  touchWorkflow(ref: Ref): Promise<void>;
  /** A workflow touches its row at least this often. */
  pollIntervalMs: number;
}

const STARTED_PER_SWEEP = 200;
const MISSED_POLLS = 3;

export async function startMissingWorkflows<Ref>(deps: MissingWorkflowsDeps<Ref>): Promise<void> {
  const { listWithoutWorkflow, start, touchWorkflow, pollIntervalMs } = deps;
  for (const ref of await listWithoutWorkflow(pollIntervalMs * MISSED_POLLS, STARTED_PER_SWEEP)) {
    await start(ref);
    await touchWorkflow(ref);
  }
}
