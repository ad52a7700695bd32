/** Cancels what is queued for deleted endpoints, some hundred at a time, and then removes the endpoints. */
import type { Pace } from '../process/pacer.ts';
import type { DeletedEndpointsRepository } from './deleted-endpoints.repository.ts';

export interface DeletedEndpointsDeps {
  deletedEndpoints: DeletedEndpointsRepository;
  /** Leaves the database to the senders in between. */
  pace: Pace;
}

export function createDeletedEndpointsCleanUp({ deletedEndpoints, pace }: DeletedEndpointsDeps) {
  return async (goesOn: () => boolean): Promise<void> => {
    while (goesOn() && (await pace(deletedEndpoints.cancelQueued)) > 0);
    if (goesOn()) await deletedEndpoints.removeEmptied();
  };
}
