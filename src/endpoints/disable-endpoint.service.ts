/**
 * Disables a failing endpoint, and publishes that to the organization's other endpoints in the same
 * transaction.
 */
import type { Database } from '../db/database.ts';
import type { Publish } from '../db/domain-event.ts';
import type { Transact } from '../db/transaction.ts';
import type { BreakerRepository } from './breaker.repository.ts';
import { hostNameOf, type RequestTarget } from './endpoint.ts';
import type { ShownHealthRepository } from './endpoint-health.repository.ts';

interface DisableEndpointDeps {
  transact: Transact;
  breakersIn(sql: Database): Pick<BreakerRepository, 'disable'>;
  healthIn(sql: Database): ShownHealthRepository;
  publish: Publish;
  now(): Date;
}

/** False when the endpoint was already disabled, or has another URL. */
export type DisableEndpoint = (target: RequestTarget, reason: 'failing' | 'gone') => Promise<boolean>;

export function createDisableEndpoint(deps: DisableEndpointDeps): DisableEndpoint {
  return (target, reason) =>
    deps.transact(async (tx) => {
      const { sql } = tx;
      const { organizationId, endpointId } = target;
      const disabled = await deps.breakersIn(sql).disable(target, reason);
      if (!disabled) return false;
      const [health] = await deps.healthIn(sql).list(organizationId, [endpointId]);
      const { collection, name, url } = disabled;
      const recType = collection === 'cellular' ? 'cellular-webhook' : 'webhook';
      await deps.publish(tx, [
        {
          organizationId,
          type: 'webhook.disabled',
          timestamp: deps.now(),
          exceptEndpointId: endpointId,
          data: {
            id: endpointId,
            recType,
            // Event webhooks have no name of their own, and their URL may have changed.
            name: collection === 'event' ? hostNameOf(url) : name,
            url,
            status: 'disabled',
            reason,
            backlog: health?.backlog ?? 0,
          },
        },
      ]);
      return true;
    });
}
