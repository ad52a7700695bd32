/**
 * The only code that starts or signals workflows. Everything here is idempotent and may fail: rows in Postgres ask for
 * the work, and the sweep asks again.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import {
  APPLY_PROFILE,
  applyProfileId,
  DELIVER_WEBHOOKS,
  deliverWebhooksId,
  TARGETS_CHANGED_SIGNAL,
  WAKE_SIGNAL,
} from './workflow-ids.ts';

export interface StarterOptions {
  client: Client;
  taskQueue: string;
  pollIntervalMs: number;
}

export interface EndpointToRecover {
  id: string;
  organizationId: string;
}

export interface JobToStart {
  id: string;
  organizationId: string;
}

const ORGANIZATION_ID = defineSearchAttributeKey('OrganizationId', SearchAttributeType.KEYWORD);
const ENDPOINT_ID = defineSearchAttributeKey('EndpointId', SearchAttributeType.KEYWORD);
const JOB_ID = defineSearchAttributeKey('JobId', SearchAttributeType.KEYWORD);

export function createStarter({ client, taskQueue, pollIntervalMs }: StarterOptions) {
  return {
    /** Starts the job's workflow unless it runs already. */
    async startJob({ id, organizationId }: JobToStart): Promise<void> {
      await client.workflow.start(APPLY_PROFILE, {
        workflowId: applyProfileId(id),
        taskQueue,
        args: [{ jobId: id, pollIntervalMs }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        typedSearchAttributes: new TypedSearchAttributes([
          { key: ORGANIZATION_ID, value: organizationId },
          { key: JOB_ID, value: id },
        ]),
        staticSummary: 'Applies a profile and waits until every device runs it',
      });
    },

    /** The endpoint's workflow runs and looks; it is started when it does not run. */
    async startRecovery({ id, organizationId }: EndpointToRecover): Promise<void> {
      await client.workflow.signalWithStart(DELIVER_WEBHOOKS, {
        workflowId: deliverWebhooksId(id),
        taskQueue,
        args: [{ endpointId: id, pollIntervalMs }],
        signal: WAKE_SIGNAL,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: ORGANIZATION_ID, value: organizationId },
          { key: ENDPOINT_ID, value: id },
        ]),
        staticSummary: 'A webhook in trouble: retries, probes, and drains what waits',
      });
    },

    /** A workflow that has ended needs no news. */
    async signalJob(jobId: string, lines: string[]): Promise<void> {
      try {
        await client.workflow.getHandle(applyProfileId(jobId)).signal(TARGETS_CHANGED_SIGNAL, lines);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
  };
}
