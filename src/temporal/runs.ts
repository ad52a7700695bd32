/** The state of the latest run of a workflow; the sweep restarts missing ones. */
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ActivityFailure } from '@temporalio/common';

export interface LastRun {
  /**
   * Temporal's status in lower case: `running`, `completed`, `failed`, `terminated`, …; `none`: there is no run. Of
   * running ones, `blocked`: its code fails at an event of its history, however often it is repeated; `elsewhere`: it
   * waits on a task queue that these workers do not poll; `stuck`: its work should have ended long ago.
   */
  status: string;
  /** Why it failed; otherwise null. */
  reason: string | null;
}

/** Not faults: a start was lost, or work arrived just as the run ended. */
const EXPECTED = ['none', 'running', 'completed'];

/**
 * A worker that is killed costs one attempt. The server repeats a task that fails with pauses, so a blocked run reaches
 * this number within a minute.
 */
const TASK_ATTEMPTS_MAX = 3;

/** The run ended before its work was done, or cannot go on: it failed, or an operator ended it. */
export const endedAbnormally = (status: string): boolean => !EXPECTED.includes(status);

/** The run exists and will not do its work, so another one takes its place. */
export const isToReplace = (status: string): boolean => ['blocked', 'elsewhere', 'stuck'].includes(status);

/** `taskQueue`: the one on which the run is to wait. */
export async function findLastRun(client: Client, workflowId: string, taskQueue: string): Promise<LastRun> {
  try {
    const described = await client.workflow.getHandle(workflowId).describe();
    const { status, runId, raw } = described;
    if ((raw.pendingWorkflowTask?.attempt ?? 0) >= TASK_ATTEMPTS_MAX)
      return { status: 'blocked', reason: 'its code fails at an event of its history' };
    const name = status.name.toLowerCase();
    if (name === 'running' && described.taskQueue !== taskQueue)
      return { status: 'elsewhere', reason: `it waits on the task queue ${described.taskQueue}` };
    return { status: name, reason: name === 'failed' ? await findReason(client, workflowId, runId) : null };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { status: 'none', reason: null };
    throw error;
  }
}

async function findReason(client: Client, workflowId: string, runId: string): Promise<string | null> {
  try {
    await client.workflow.getHandle(workflowId, runId).result();
    return null;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    // A failed step hides its reason behind the message that a step failed.
    const cause = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
    return cause?.message ?? error.message;
  }
}
