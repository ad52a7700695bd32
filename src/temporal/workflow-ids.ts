/** Names that processes and Temporal agree on. */
export const APPLY_PROFILE = 'applyProfile';
export const applyProfileId = (jobId: string) => `apply-profile:${jobId}`;
export const TARGETS_CHANGED_SIGNAL = 'progressed';

export const DELIVER_WEBHOOKS = 'deliverWebhooks';
export const deliverWebhooksId = (endpointId: string) => `deliver-webhooks:${endpointId}`;
export const WAKE_SIGNAL = 'troubled';

export const SEARCH_ATTRIBUTES = {
  OrganizationId: 'Keyword',
  JobId: 'Keyword',
  EndpointId: 'Keyword',
} as const;
