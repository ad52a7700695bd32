/**
 * The only code that starts or signals workflows. Everything here is idempotent and may fail: rows in PostgreSQL ask for
 * the work, and the sweep asks again.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { JobRef } from '../config-jobs/config-job.ts';
import { summarizeStart } from '../config-jobs/job-description.ts';
import type { JobTitle } from '../config-jobs/job-run.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import { findLastRun, type LastRun } from './runs.ts';
import {
  APPLY_PROFILE,
  applyProfileAttributes,
  applyProfileId,
  DELIVER_WEBHOOKS,
  deliverWebhooksAttributes,
  deliverWebhooksId,
  endpointTaskQueue,
  type SearchAttributeValues,
  TARGETS_CHANGED_SIGNAL,
  WAKE_SIGNAL,
} from './workflow-ids.ts';

export interface StarterOptions {
  client: Client;
  /** Of jobs; that of endpoints is derived from it. */
  taskQueue: string;
  pollIntervalMs: number;
}

export interface StartJobOptions {
  /** For readers of the Temporal UI; null where the row is gone. */
  title?: JobTitle | null;
  /** Ends a run that is there, instead of leaving it. */
  replace?: boolean;
}

export function createStarter({ client, taskQueue, pollIntervalMs }: StarterOptions) {
  return {
    /** Starts the job's workflow; one that runs already stays, unless it is to be replaced. */
    async startJob(job: JobRef, { title = null, replace = false }: StartJobOptions = {}): Promise<void> {
      await client.workflow.start(APPLY_PROFILE, {
        workflowId: applyProfileId(job.jobId),
        taskQueue,
        args: [{ organizationId: job.organizationId, jobId: job.jobId, pollIntervalMs }],
        workflowIdConflictPolicy: replace ? 'TERMINATE_EXISTING' : 'USE_EXISTING',
        typedSearchAttributes: typed(applyProfileAttributes(job)),
        staticSummary: summarizeStart(title),
      });
    },

    /** Starts the endpoint's workflow, or wakes it when it runs already. */
    async startRecovery(endpoint: EndpointRef): Promise<void> {
      await client.workflow.signalWithStart(DELIVER_WEBHOOKS, {
        workflowId: deliverWebhooksId(endpoint.endpointId),
        taskQueue: endpointTaskQueue(taskQueue),
        args: [{ ...endpoint, pollIntervalMs }],
        signal: WAKE_SIGNAL,
        typedSearchAttributes: typed(deliverWebhooksAttributes(endpoint)),
        staticSummary:
          'Retries failed deliveries of a webhook and sends the backlog when its receiver is back',
      });
    },

    findJobRun: ({ jobId }: JobRef): Promise<LastRun> => findLastRun(client, applyProfileId(jobId)),

    findRecoveryRun: ({ endpointId }: EndpointRef): Promise<LastRun> =>
      findLastRun(client, deliverWebhooksId(endpointId)),

    /** Does nothing when the workflow has ended. */
    async signalJob({ jobId }: JobRef, lines: string[]): Promise<void> {
      try {
        await client.workflow.getHandle(applyProfileId(jobId)).signal(TARGETS_CHANGED_SIGNAL, lines);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
  };
}

const typed = (values: SearchAttributeValues) =>
  new TypedSearchAttributes(
    Object.entries(values).map(([name, value]) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  );
