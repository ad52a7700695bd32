/**
 * Cancels deliveries queued for deleted endpoints, some hundred at a time, and then removes the endpoints.
 */
import type { Pace } from '../process/pacer.ts';
import type { DeletedEndpointsRepository } from './deleted-endpoints.repository.ts';

interface DeletedEndpointsDeps {
  deletedEndpoints: DeletedEndpointsRepository;
  /** Paces the statements, so that senders get their share of the database. */
  pace: Pace;
}

export function createDeletedEndpointsCleanUp({ deletedEndpoints, pace }: DeletedEndpointsDeps) {
  return async (shouldContinue: () => boolean): Promise<void> => {
    while (shouldContinue() && (await pace(deletedEndpoints.cancelQueued)) > 0);
    if (shouldContinue()) await deletedEndpoints.removeEmptied();
  };
}
