/**
 * Updates of operators in the Temporal UI. Each calls the operation of the API, with its rules and its row of the
 * audit trail.
 */
import type { ActivityDeps } from '../../activities/index.ts';
import { TEMPORAL_UI } from '../audit/audit.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import { NO_SUCH_ENDPOINT } from '../endpoints/endpoint.ts';
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

  async function call(organizationId: string, operationId: string, input: OperationInput): Promise<void> {
    await operations(toCaller(organizationId), operationId, input);
  }

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
    cancelJob: ({ organizationId, jobId }) => call(organizationId, 'cancelConfigJob', { params: { jobId } }),
    proceedJob: ({ organizationId, jobId }) =>
      call(organizationId, 'proceedConfigJob', { params: { jobId } }),
    extendJob: ({ organizationId, jobId }, deadlineAt) =>
      call(organizationId, 'extendConfigJob', { params: { jobId }, body: { deadlineAt } }),
    retryEndpoint: (endpoint) => callEndpoint(endpoint, 'retry'),
    giveUpEndpoint: (endpoint) => callEndpoint(endpoint, 'update', { status: 'disabled' }),
    acknowledgeAlert: ({ organizationId, alertId }) =>
      call(organizationId, 'acknowledgeAlert', { params: { alertId }, body: { status: 'acknowledged' } }),
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
