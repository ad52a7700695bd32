import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { deliveriesRoutes } from '../deliveries/deliveries.routes.ts';
import { createDeliveriesService } from '../deliveries/deliveries.service.ts';
import { createRecoveryNotifier } from '../deliveries/recovery-notifier.service.ts';
import { createSender } from '../deliveries/sender.service.ts';
import { isAllowedAddress } from '../endpoints/allowed-address.ts';
import { createBreakerRepository } from '../endpoints/breaker.repository.ts';
import { createEndpointsRepository } from '../endpoints/endpoints.repository.ts';
import { VERSION } from '../process/version.ts';
import type { Resources } from './resources.ts';

/** What every process does with deliveries; that of the worker alone is in delivery-worker.ts. */
export function composeDeliveries(resources: Resources) {
  const { settings, sql, now, secretBox, starter, onTemporalFault, resolve } = resources;
  const sender = createSender({
    isAllowedAddress: (address) => isAllowedAddress(address, settings.webhookAllowedRanges),
    userAgent: `device-monitoring-service/${VERSION}`,
    deadlineMs: settings.webhooks.deadlineMs,
    connectTimeoutMs: settings.webhooks.connectTimeoutMs,
    resolve,
    now,
  });
  const recovery = createRecoveryNotifier({
    startRecovery: starter.startRecovery,
    onFault: onTemporalFault('recover'),
  });
  const service = createDeliveriesService({
    endpointsIn: createEndpointsRepository,
    deliveriesIn: createDeliveriesRepository,
    breakersIn: createBreakerRepository,
    secretBox,
    send: sender.attempt,
    secretGracePeriodMs: settings.webhooks.secretGracePeriodMs,
    now,
    notifyRecovery: recovery.notifyRecovery,
  });
  return {
    routes: deliveriesRoutes({
      deliveries: createDeliveriesRepository(sql),
      endpoints: createEndpointsRepository(sql),
      service,
    }),
    send: sender.attempt,
    notifyRecovery: recovery.notifyRecovery,
    /** After everything that sends has stopped. */
    async close() {
      await recovery.flush();
      await sender.close();
    },
  };
}
