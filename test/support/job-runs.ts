/** The workflow runs behind jobs, as operators see them. */
import type { WorkflowHandle } from '@temporalio/client';
import { applyProfileId } from '../../src/temporal/workflow-ids.ts';
import { eventually } from './fleet.ts';
import type { TestService } from './service.ts';

export function runOf(dms: TestService, jobId: string): WorkflowHandle {
  return dms.service.temporal.client.workflow.getHandle(applyProfileId(jobId));
}

/** Waits until the workflow has read the job. */
export async function untilSeen(dms: TestService, jobId: string): Promise<void> {
  await eventually(
    () => runOf(dms, jobId).describe().catch(nameOf),
    (seen) => typeof seen !== 'string' && seen.historyLength > 10,
  );
}

/**
 * Waits until the workflow shows this and no step is under way, because an interrupted step is repeated much
 * later.
 */
export async function untilIdle(dms: TestService, jobId: string, seen: RegExp): Promise<void> {
  await eventually(
    () => detailsOf(dms, jobId).catch(nameOf),
    (details) => seen.test(details),
  );
  await eventually(
    () => runOf(dms, jobId).describe(),
    ({ raw }) => !raw.pendingWorkflowTask && !raw.pendingActivities?.length,
  );
}

export async function detailsOf(dms: TestService, jobId: string): Promise<string> {
  const run = runOf(dms, jobId);
  return (await run.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

export const nameOf = (error: Error) => error.name;
