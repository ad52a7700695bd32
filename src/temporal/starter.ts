/**
 * The only code that starts or signals workflows. Everything here is idempotent and may fail: rows in PostgreSQL ask for
 * the work, and the sweep asks again.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { AlertRef } from '../alerts/alert.ts';
import type { JobRef, WithdrawalRef, WithdrawalTitle } from '../config-jobs/config-job.ts';
import { describeStart, summarizeStart, summarizeWithdrawal } from '../config-jobs/job-description.ts';
import type { JobTitle } from '../config-jobs/job-run.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import { type EscalationTitle, summarizeEscalationStart } from '../escalations/escalation-description.ts';
import { findLastRun, type LastRun } from './runs.ts';
import type { StartOptions } from './start-missing-workflows.ts';
import {
  ALERT_CHANGED_SIGNAL,
  APPLY_PROFILE,
  applyProfileId,
  DELIVER_WEBHOOKS,
  deliverWebhooksId,
  ESCALATE_ALERT,
  endpointTaskQueue,
  escalateAlertId,
  escalationTaskQueue,
  type SearchAttributeValues,
  TARGETS_CHANGED_SIGNAL,
  toAttributePairs,
  WAKE_SIGNAL,
  WITHDRAW_PROFILE,
  withdrawProfileId,
} from './workflow-ids.ts';

interface StarterOptions {
  client: Client;
  /** Task queue of jobs; the queues of endpoints and escalations are derived from it. */
  taskQueue: string;
  pollIntervalMs: number;
  /** Public URL of the operators' page; null: there is none. */
  operatorUrl?: string | null;
}

const KEEP: StartOptions = { replace: false };

export function createStarter({ client, taskQueue, pollIntervalMs, operatorUrl = null }: StarterOptions) {
  const links = createRunLinks(operatorUrl);

  /** The part that starts of all kinds share; `about` is also in the input, for runs that continue this one. */
  const common = (organizationId: string, about: string, attributes: SearchAttributeValues = {}) => ({
    taskQueue,
    typedSearchAttributes: typed({ OrganizationId: organizationId, ...attributes }),
    // Where the Temporal server has fairness, organizations take turns at the workers.
    priority: { fairnessKey: organizationId },
    staticDetails: about,
  });

  return {
    /** Starts the job's workflow; an existing run stays, unless it is to be replaced. */
    async startJob(
      { organizationId, jobId }: JobRef,
      title: JobTitle | null = null,
      options = KEEP,
    ): Promise<void> {
      const about = withStart(title, links(`jobs/${jobId}`));
      await client.workflow.start(APPLY_PROFILE, {
        ...common(organizationId, about, { JobId: jobId }),
        workflowId: applyProfileId(jobId),
        args: [{ organizationId, jobId, pollIntervalMs, about }],
        workflowIdConflictPolicy: toPolicy(options),
        staticSummary: summarizeStart(title),
      });
    },

    /** Starts the endpoint's workflow, or wakes it when it is running. */
    async startRecovery(endpoint: EndpointRef, options = KEEP): Promise<void> {
      const { organizationId, endpointId } = endpoint;
      const about = links('webhooks');
      await client.workflow.signalWithStart(DELIVER_WEBHOOKS, {
        ...common(organizationId, about, { EndpointId: endpointId }),
        workflowId: deliverWebhooksId(endpointId),
        taskQueue: endpointTaskQueue(taskQueue),
        args: [{ organizationId, endpointId, pollIntervalMs, about }],
        workflowIdConflictPolicy: toPolicy(options),
        signal: WAKE_SIGNAL,
        staticSummary:
          'Retries failed deliveries of a webhook and sends the backlog when its receiver is back',
      });
    },

    /** Starts the run of an alert's escalation. */
    async startEscalation(
      { organizationId, alertId }: AlertRef,
      title: EscalationTitle | null = null,
      options = KEEP,
    ): Promise<void> {
      const about = links(`alerts/${alertId}`);
      await client.workflow.start(ESCALATE_ALERT, {
        ...common(organizationId, about),
        workflowId: escalateAlertId(alertId),
        taskQueue: escalationTaskQueue(taskQueue),
        args: [{ organizationId, alertId, about }],
        workflowIdConflictPolicy: toPolicy(options),
        staticSummary: summarizeEscalationStart(title),
      });
    },

    /** Starts the run of a withdrawal. It has one step, so its attributes do not change while it runs. */
    async startWithdrawal(
      { organizationId, withdrawalId }: WithdrawalRef,
      title: WithdrawalTitle | null = null,
      options = KEEP,
    ): Promise<void> {
      const about = withStart(title, links('groups'));
      const organization = title && { Organization: title.organizationName };
      await client.workflow.start(WITHDRAW_PROFILE, {
        ...common(organizationId, about, { ...organization, Phase: 'withdrawing' }),
        workflowId: withdrawProfileId(withdrawalId),
        args: [{ organizationId, withdrawalId, about }],
        workflowIdConflictPolicy: toPolicy(options),
        staticSummary: summarizeWithdrawal(title),
      });
    },

    findWithdrawalRun: ({ withdrawalId }: WithdrawalRef): Promise<LastRun> =>
      findLastRun(client, withdrawProfileId(withdrawalId), taskQueue),

    findEscalationRun: ({ alertId }: AlertRef): Promise<LastRun> =>
      findLastRun(client, escalateAlertId(alertId), escalationTaskQueue(taskQueue)),

    /** Makes the run read the state again. Does nothing when it has ended. */
    async signalEscalation({ alertId }: AlertRef): Promise<void> {
      await ignoreEnded(client.workflow.getHandle(escalateAlertId(alertId)).signal(ALERT_CHANGED_SIGNAL));
    },

    findJobRun: ({ jobId }: JobRef): Promise<LastRun> =>
      findLastRun(client, applyProfileId(jobId), taskQueue),

    findRecoveryRun: ({ endpointId }: EndpointRef): Promise<LastRun> =>
      findLastRun(client, deliverWebhooksId(endpointId), endpointTaskQueue(taskQueue)),

    /** Does nothing when the workflow has ended. */
    async signalJob({ jobId }: JobRef, lines: string[]): Promise<void> {
      await ignoreEnded(
        client.workflow.getHandle(applyProfileId(jobId)).signal(TARGETS_CHANGED_SIGNAL, lines),
      );
    },
  };
}

/** Begins with who began the work, if that is known. */
const withStart = (title: JobTitle | WithdrawalTitle | null, details: string): string =>
  [describeStart(title) ?? [], details].flat().join('\n\n');

const toPolicy = ({ replace }: StartOptions) => (replace ? 'TERMINATE_EXISTING' : 'USE_EXISTING');

async function ignoreEnded(signalled: Promise<void>): Promise<void> {
  try {
    await signalled;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

const typed = (values: SearchAttributeValues) => new TypedSearchAttributes(toAttributePairs(values));

/** Links in the static details of a run, for readers of the Temporal UI, by the path of a page below `/operator`. */
type RunLinks = (path: string) => string;

/** `operatorUrl`: the public URL of the operators' page, beside which the documentation is; null: there is none. */
function createRunLinks(operatorUrl: string | null): RunLinks {
  if (operatorUrl === null) return () => 'How to read and steer this run: docs/temporal-ui.md';
  return (path) =>
    [
      `[Page](${operatorUrl}/operator/${path})`,
      `[How to read and steer this run](${operatorUrl}/docs/temporal-ui)`,
    ].join(' · ');
}
