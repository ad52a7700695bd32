/** Cancels what is queued for deleted endpoints, a thousand at a time, and then removes the endpoints. */
import type { DeletedEndpointsRepository } from './deleted-endpoints.repository.ts';

export interface DeletedEndpointsDeps {
  deletedEndpoints: DeletedEndpointsRepository;
  isStopping(): boolean;
}

/** Leaves the database to the senders in between. */
const PAUSE_MS = 20;

export async function cleanUpDeletedEndpoints({
  deletedEndpoints,
  isStopping,
}: DeletedEndpointsDeps): Promise<void> {
  while (!isStopping() && (await deletedEndpoints.cancelQueued()) > 0) await pause();
  await deletedEndpoints.removeEmptied();
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS));
