/** How the latest run of a workflow stands: the sweep starts those that are missing anew. */
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';

export interface LastRun {
  /** As Temporal names it, in lower case: `running`, `completed`, `failed`, `terminated`, …; `none`: there is no run. */
  status: string;
  /** Why it failed; null for any other. */
  reason: string | null;
}

/** No fault: a start was lost, or work came just when the run ended. */
const EXPECTED = ['none', 'running', 'completed'];

/** Its work was not done: it failed, or an operator ended it. */
export const hasBrokenOff = (status: string): boolean => !EXPECTED.includes(status);

export async function findLastRun(client: Client, workflowId: string): Promise<LastRun> {
  try {
    const { status, runId } = await client.workflow.getHandle(workflowId).describe();
    const name = status.name.toLowerCase();
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
    if (error instanceof WorkflowFailedError) return error.cause?.message ?? error.message;
    throw error;
  }
}
