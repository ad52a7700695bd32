/**
 * The only code that starts or signals workflows. Everything here is idempotent and may fail: rows in PostgreSQL ask for
 * the work, and the sweep asks again.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { AlertRef } from '../alerts/alert.ts';
import type { JobRef, WithdrawalRef } from '../config-jobs/config-job.ts';
import { summarizeStart } from '../config-jobs/job-description.ts';
import type { JobTitle } from '../config-jobs/job-run.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import { type EscalationTitle, summarizeEscalationStart } from '../escalations/escalation-description.ts';
import { createRunLinks } from './run-links.ts';
import { findLastRun, type LastRun } from './runs.ts';
import type { StartOptions } from './start-missing-workflows.ts';
import {
  ALERT_CHANGED_SIGNAL,
  APPLY_PROFILE,
  applyProfileAttributes,
  applyProfileId,
  DELIVER_WEBHOOKS,
  deliverWebhooksAttributes,
  deliverWebhooksId,
  ESCALATE_ALERT,
  endpointTaskQueue,
  escalateAlertAttributes,
  escalateAlertId,
  escalationTaskQueue,
  type SearchAttributeValues,
  TARGETS_CHANGED_SIGNAL,
  toAttributePairs,
  WAKE_SIGNAL,
  WITHDRAW_PROFILE,
  withdrawProfileAttributes,
  withdrawProfileId,
} from './workflow-ids.ts';

export interface StarterOptions {
  client: Client;
  /** Task queue of jobs; the queues of endpoints and escalations are derived from it. */
  taskQueue: string;
  pollIntervalMs: number;
  /** Public URL of the operators' page; null: there is none. */
  operatorUrl?: string | null;
}

export interface StartJobOptions extends Partial<StartOptions> {
  /** Shown in the Temporal UI; null when the row is gone. */
  title?: JobTitle | null;
}

const KEEP: StartOptions = { replace: false };

export function createStarter({ client, taskQueue, pollIntervalMs, operatorUrl = null }: StarterOptions) {
  const links = createRunLinks(operatorUrl);
  return {
    /** Starts the job's workflow; an existing run stays, unless it is to be replaced. */
    async startJob(job: JobRef, { title = null, replace = false }: StartJobOptions = {}): Promise<void> {
      await client.workflow.start(APPLY_PROFILE, {
        workflowId: applyProfileId(job.jobId),
        taskQueue,
        args: [{ organizationId: job.organizationId, jobId: job.jobId, pollIntervalMs }],
        workflowIdConflictPolicy: toPolicy({ replace }),
        typedSearchAttributes: typed(applyProfileAttributes(job)),
        priority: toPriority(job),
        staticSummary: summarizeStart(title),
        staticDetails: links(`jobs/${job.jobId}`),
      });
    },

    /** Starts the endpoint's workflow, or wakes it when it is running. */
    async startRecovery(endpoint: EndpointRef, options = KEEP): Promise<void> {
      await client.workflow.signalWithStart(DELIVER_WEBHOOKS, {
        workflowId: deliverWebhooksId(endpoint.endpointId),
        taskQueue: endpointTaskQueue(taskQueue),
        args: [{ ...endpoint, pollIntervalMs }],
        workflowIdConflictPolicy: toPolicy(options),
        signal: WAKE_SIGNAL,
        priority: toPriority(endpoint),
        typedSearchAttributes: typed(deliverWebhooksAttributes(endpoint)),
        staticSummary:
          'Retries failed deliveries of a webhook and sends the backlog when its receiver is back',
        staticDetails: links('webhooks'),
      });
    },

    /** Starts the run of an alert's escalation; an existing run stays. */
    async startEscalation(
      alert: AlertRef,
      title: EscalationTitle | null = null,
      options = KEEP,
    ): Promise<void> {
      await client.workflow.start(ESCALATE_ALERT, {
        workflowId: escalateAlertId(alert.alertId),
        taskQueue: escalationTaskQueue(taskQueue),
        args: [{ organizationId: alert.organizationId, alertId: alert.alertId }],
        workflowIdConflictPolicy: toPolicy(options),
        priority: toPriority(alert),
        typedSearchAttributes: typed(escalateAlertAttributes(alert)),
        staticSummary: summarizeEscalationStart(title),
        staticDetails: links(`alerts/${alert.alertId}`),
      });
    },

    /** Starts the run of a withdrawal; an existing run stays. */
    async startWithdrawal(
      { organizationId, withdrawalId }: WithdrawalRef,
      organizationName: string | null = null,
      options = KEEP,
    ): Promise<void> {
      const withdrawal = { organizationId, withdrawalId };
      await client.workflow.start(WITHDRAW_PROFILE, {
        workflowId: withdrawProfileId(withdrawalId),
        taskQueue,
        args: [withdrawal],
        workflowIdConflictPolicy: toPolicy(options),
        priority: toPriority(withdrawal),
        typedSearchAttributes: typed(withdrawProfileAttributes(withdrawal, organizationName)),
        staticSummary: 'Withdraws the former profile of a large group from its members',
        staticDetails: links('groups'),
      });
    },

    findWithdrawalRun: ({ withdrawalId }: WithdrawalRef): Promise<LastRun> =>
      findLastRun(client, withdrawProfileId(withdrawalId)),

    findEscalationRun: ({ alertId }: AlertRef): Promise<LastRun> =>
      findLastRun(client, escalateAlertId(alertId)),

    /** Makes the run read the state again. Does nothing when it has ended. */
    async signalEscalation({ alertId }: AlertRef): Promise<void> {
      await ignoreEnded(client.workflow.getHandle(escalateAlertId(alertId)).signal(ALERT_CHANGED_SIGNAL));
    },

    findJobRun: ({ jobId }: JobRef): Promise<LastRun> => findLastRun(client, applyProfileId(jobId)),

    findRecoveryRun: ({ endpointId }: EndpointRef): Promise<LastRun> =>
      findLastRun(client, deliverWebhooksId(endpointId)),

    /** Does nothing when the workflow has ended. */
    async signalJob({ jobId }: JobRef, lines: string[]): Promise<void> {
      await ignoreEnded(
        client.workflow.getHandle(applyProfileId(jobId)).signal(TARGETS_CHANGED_SIGNAL, lines),
      );
    },
  };
}

/** Where the Temporal server has fairness, organizations take turns at the workers. */
const toPriority = ({ organizationId }: { organizationId: string }) => ({ fairnessKey: organizationId });

const toPolicy = ({ replace }: StartOptions) => (replace ? 'TERMINATE_EXISTING' : 'USE_EXISTING');

async function ignoreEnded(signalled: Promise<void>): Promise<void> {
  try {
    await signalled;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

const typed = (values: SearchAttributeValues) => new TypedSearchAttributes(toAttributePairs(values));
