/**
 * Updates of operators in the Temporal UI. Each calls the operation of the API, with its rules and its row of the
 * audit trail.
 */
import type { ActivityDeps } from '../../activities/index.ts';
import { TEMPORAL_UI } from '../audit/audit.ts';
import type { JobRef, JobView } from '../config-jobs/config-job.ts';
import { answerCancelled, answerExtended, answerProceeded } from '../config-jobs/job-updates.ts';
import { type EndpointRef, NO_SUCH_ENDPOINT } from '../endpoints/endpoint.ts';
import { ENDPOINT_COLLECTIONS } from '../endpoints/endpoint-collections.ts';
import { createEndpointsRepository } from '../endpoints/endpoints.repository.ts';
import { createOperations, type OperationInput } from '../http/operations.ts';
import type { Caller, Route } from '../http/route.ts';
import { orNotFound } from '../process/errors.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';

export function composeTemporalUi(
  resources: Resources,
  slices: Slices,
  routes: readonly Route[],
): ActivityDeps['updates'] {
  const operations = createOperations({ ...resources, routes, recordAudit: slices.audit.record });
  const endpoints = createEndpointsRepository(resources.sql);

  /** Returns the body of the answer. */
  async function call(organizationId: string, operationId: string, input: OperationInput): Promise<unknown> {
    return (await operations(toCaller(organizationId), operationId, input)).body;
  }

  const callJob = async (
    { organizationId, jobId }: JobRef,
    operationId: string,
    body?: object,
  ): Promise<JobView> => (await call(organizationId, operationId, { params: { jobId }, body })) as JobView;

  async function callEndpoint(
    { organizationId, endpointId }: EndpointRef,
    verb: string,
    body?: object,
  ): Promise<void> {
    const found = await endpoints.findCollection({ organizationId, endpointId });
    const shape = orNotFound(
      ENDPOINT_COLLECTIONS.find(({ collection }) => collection === found),
      NO_SUCH_ENDPOINT,
    );
    const params = { webhookId: endpointId };
    await call(organizationId, `${verb}${shape.operationName}`, { params, body });
  }

  return {
    cancelJob: async (job) => answerCancelled(await callJob(job, 'cancelConfigJob')),
    proceedJob: async (job) => answerProceeded(await callJob(job, 'proceedConfigJob')),
    extendJob: async (job, deadlineAt) =>
      answerExtended(await callJob(job, 'extendConfigJob', { deadlineAt })),
    async retryEndpoint(endpoint) {
      await callEndpoint(endpoint, 'retry');
      return 'What waits for the receiver is sent now, a probe first while the breaker is open';
    },
    async giveUpEndpoint(endpoint) {
      await callEndpoint(endpoint, 'update', { status: 'disabled' });
      return 'The webhook is disabled: what waits is held until its customer enables it again, and events meanwhile are not kept';
    },
    async acknowledgeAlert({ organizationId, alertId }) {
      const input = { params: { alertId }, body: { status: 'acknowledged' } };
      await call(organizationId, 'acknowledgeAlert', input);
    },
  };
}

const toCaller = (organizationId: string): Caller => ({
  keyId: 'temporal-ui',
  keyName: TEMPORAL_UI.name,
  actor: TEMPORAL_UI,
  organizationId,
  kind: 'customer',
  role: 'write',
  serialKey: null,
});
