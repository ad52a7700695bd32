/** Names and ids that the service, its workflows and the Temporal server share. */
import { cutText } from '../process/cut-text.ts';
import { toOneLine } from '../process/markdown-text.ts';

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

export const WITHDRAW_PROFILE = 'withdrawProfile';
export const withdrawProfileId = (withdrawalId: string) => `withdraw-profile:${withdrawalId}`;

/**
 * Search attributes of runs in Temporal. `npm run dms -- temporal setup` creates them. Starting a run sets the ids;
 * the run itself keeps the others up to date. Values are ids, slugs and names alone, because readers of the Temporal UI see
 * the runs of all organizations.
 */
export const SEARCH_ATTRIBUTES = {
  OrganizationId: 'Keyword',
  JobId: 'Keyword',
  EndpointId: 'Keyword',
  /** Name of the organization. */
  Organization: 'Keyword',
  ProfileSlug: 'Keyword',
  /** The part of its work that the run is at. */
  Phase: 'Keyword',
  /** How long the other side has been late: see `src/process/durations.ts`. */
  Waiting: 'Keyword',
  DeadlineAt: 'Datetime',
} as const;

/** Times are ISO 8601. */
export type SearchAttributeValues = Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>;

/** Stores of Temporal limit a keyword to 255 characters. */
const KEYWORD_LENGTH_MAX = 200;

type AttributePair =
  | { key: { name: string; type: 'KEYWORD' }; value: string }
  | { key: { name: string; type: 'DATETIME' }; value: Date };

/** The values as Temporal's SDK takes them. Absent ones are left out, so they stay as they are. */
export const toAttributePairs = (values: SearchAttributeValues): AttributePair[] =>
  Object.entries(values).map(([name, value]) =>
    SEARCH_ATTRIBUTES[name as keyof SearchAttributeValues] === 'Datetime'
      ? { key: { name, type: 'DATETIME' }, value: new Date(value) }
      : { key: { name, type: 'KEYWORD' }, value: cutText(toOneLine(value), KEYWORD_LENGTH_MAX) },
  );
