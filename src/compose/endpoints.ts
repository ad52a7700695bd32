import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { createEndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { createEndpointsRepository } from '../endpoints/endpoints.repository.ts';
import { webhooksRoutes } from '../endpoints/endpoints.routes.ts';
import { createWebhooksService, type WebhooksServiceDeps } from '../endpoints/endpoints.service.ts';
import { startMissingWorkflows } from '../temporal/start-missing-workflows.ts';
import type { Resources } from './resources.ts';

export type EndpointsNeeds = Pick<WebhooksServiceDeps, 'notifyRecovery'>;

export function composeEndpoints(resources: Resources, { notifyRecovery }: EndpointsNeeds) {
  const { settings, log, sql, secretBox, starter } = resources;
  const health = createEndpointHealthRepository(sql);
  const service = createWebhooksService({
    webhooksIn: createEndpointsRepository,
    deliveriesIn: createDeliveriesRepository,
    endpointsIn: createEndpointHealthRepository,
    secretBox,
    allowedRanges: settings.webhookAllowedRanges,
    notifyRecovery,
    log,
  });
  return {
    routes: webhooksRoutes({ webhooks: createEndpointsRepository(sql), service }),
    startMissingWorkflows: () =>
      startMissingWorkflows({
        ...health,
        start: starter.startRecovery,
        pollIntervalMs: settings.jobPollIntervalMs,
      }),
  };
}
