import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { createBreakerRepository } from '../endpoints/breaker.repository.ts';
import {
  createEndpointHealthRepository,
  createShownHealthRepository,
} from '../endpoints/endpoint-health.repository.ts';
import { createEndpointsRepository } from '../endpoints/endpoints.repository.ts';
import { endpointsRoutes } from '../endpoints/endpoints.routes.ts';
import { createEndpointsService, type EndpointsServiceDeps } from '../endpoints/endpoints.service.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import { createMissingWorkflowsSweep } from '../temporal/start-missing-workflows.ts';
import type { Resources } from './resources.ts';

type EndpointsNeeds = Pick<EndpointsServiceDeps, 'notifyRecovery'>;

export function composeEndpoints(resources: Resources, { notifyRecovery }: EndpointsNeeds) {
  const { settings, log, sql, listTurns, secretBox, starter, onRunStarted, onTemporalFault } = resources;
  const health = createEndpointHealthRepository(sql);
  const service = createEndpointsService({
    endpointsIn: createEndpointsRepository,
    deliveriesIn: createDeliveriesRepository,
    breakersIn: createBreakerRepository,
    secretBox,
    allowedRanges: settings.webhookAllowedRanges,
    notifyRecovery,
    log,
  });
  return {
    routes: endpointsRoutes({
      endpoints: inTurns(createEndpointsRepository(sql), listTurns, 'list'),
      health: inTurns(createShownHealthRepository(sql), listTurns, 'list'),
      healthIn: createShownHealthRepository,
      endpointsIn: createEndpointsRepository,
      service,
    }),
    startMissingWorkflows: createMissingWorkflowsSweep({
      ...health,
      findLastRun: starter.findRecoveryRun,
      start: starter.startRecovery,
      keyOf: ({ endpointId }) => endpointId,
      checkIntervalMs: settings.runCheckIntervalMs,
      onStarted: ({ endpointId }, last) => onRunStarted('deliver-webhooks', endpointId, last),
      onFault: onTemporalFault('sweep endpoints'),
    }),
  };
}
