/** Cancels what is queued for deleted endpoints, some hundred at a time, and then removes the endpoints. */
import type { Pace } from '../process/pacer.ts';
import type { DeletedEndpointsRepository } from './deleted-endpoints.repository.ts';

export interface DeletedEndpointsDeps {
  deletedEndpoints: DeletedEndpointsRepository;
  /** Leaves the database to the senders in between. */
  pace: Pace;
  isStopping(): boolean;
}

export async function cleanUpDeletedEndpoints({
  deletedEndpoints,
  pace,
  isStopping,
}: DeletedEndpointsDeps): Promise<void> {
  while (!isStopping() && (await pace(deletedEndpoints.cancelQueued)) > 0);
  await deletedEndpoints.removeEmptied();
}
