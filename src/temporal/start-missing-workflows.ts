/**
 * Starts the workflows of what runs without one: a crash between commit and start, or Temporal away at that time, or a
 * Temporal server that lost its data. Starting one that runs is harmless.
 */
export interface MissingWorkflowsDeps {
  /** What no workflow has looked at for so long. */
  listWithoutWorkflow(olderThanMs: number, limit: number): Promise<WithoutWorkflow[]>;
  start(withoutWorkflow: WithoutWorkflow): Promise<void>;
  touchWorkflow(id: string): Promise<void>;
  /** A workflow looks at what is its own at least this often. */
  pollIntervalMs: number;
}

/** A job, or an endpoint in trouble. */
export interface WithoutWorkflow {
  id: string;
  organizationId: string;
}

const STARTED_PER_SWEEP = 200;
const MISSED_LOOKS = 3;

export async function startMissingWorkflows(deps: MissingWorkflowsDeps): Promise<void> {
  const { listWithoutWorkflow, start, touchWorkflow, pollIntervalMs } = deps;
  for (const withoutWorkflow of await listWithoutWorkflow(pollIntervalMs * MISSED_LOOKS, STARTED_PER_SWEEP)) {
    await start(withoutWorkflow);
    await touchWorkflow(withoutWorkflow.id);
  }
}
