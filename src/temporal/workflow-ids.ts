/** Names and ids that the service, its workflows and the Temporal server share. */
import type { AlertRef } from '../alerts/alert.ts';
import type { JobRef } from '../config-jobs/config-job.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';

/** Runs of endpoints have a queue of their own, so that many concurrent drains delay no job. */
export const endpointTaskQueue = (taskQueue: string) => `${taskQueue}-endpoints`;

/** Runs of escalations have their own, too: a thousand alerts at once delay neither jobs nor endpoints. */
export const escalationTaskQueue = (taskQueue: string) => `${taskQueue}-escalations`;

/** Carries a traceparent from a start to the run, and on to its steps. */
export const TRACE_HEADER = 'traceparent';

export const APPLY_PROFILE = 'applyProfile';
export const applyProfileId = (jobId: string) => `apply-profile:${jobId}`;
/** Targets of the job changed; carries up to 50 lines for readers of the Temporal UI. */
export const TARGETS_CHANGED_SIGNAL = 'targetsChanged';

export const DELIVER_WEBHOOKS = 'deliverWebhooks';
export const deliverWebhooksId = (endpointId: string) => `deliver-webhooks:${endpointId}`;
/** The endpoint or its deliveries changed: the workflow reads the state again. */
export const WAKE_SIGNAL = 'wake';

export const ESCALATE_ALERT = 'escalateAlert';
export const escalateAlertId = (alertId: string) => `escalate-alert:${alertId}`;
/** The alert was acknowledged or resolved, or its policy changed: the workflow reads the state again. */
export const ALERT_CHANGED_SIGNAL = 'alertChanged';

/**
 * Search attributes of runs in Temporal, all of them keywords. `npm run dms -- temporal setup` creates them;
 * starting a workflow sets them.
 */
export const SEARCH_ATTRIBUTES = {
  OrganizationId: 'Keyword',
  JobId: 'Keyword',
  EndpointId: 'Keyword',
} as const;

export type SearchAttributeValues = Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>;

export const applyProfileAttributes = ({ organizationId, jobId }: JobRef): SearchAttributeValues => ({
  OrganizationId: organizationId,
  JobId: jobId,
});

export const deliverWebhooksAttributes = ({
  organizationId,
  endpointId,
}: EndpointRef): SearchAttributeValues => ({
  OrganizationId: organizationId,
  EndpointId: endpointId,
});

/** The id of the run already contains the alert. */
export const escalateAlertAttributes = ({ organizationId }: AlertRef): SearchAttributeValues => ({
  OrganizationId: organizationId,
});
