/** Starts or wakes an endpoint's workflow when its deliveries fail: one call per endpoint at a time, and nobody waits for it. */
import type { EndpointRef } from '../endpoints/endpoint.ts';

export interface RecoveryNotifierDeps {
  startRecovery(endpoint: EndpointRef): Promise<void>;
  /** Nothing is lost: the sweep starts the workflow. */
  onFault(error: unknown): void;
}

export interface RecoveryNotifier {
  notifyRecovery(endpoint: EndpointRef): void;
  flush(): Promise<void>;
}

/** Many failures within this time cost one call. */
const COALESCE_MS = 200;

export function createRecoveryNotifier({ startRecovery, onFault }: RecoveryNotifierDeps): RecoveryNotifier {
  const underWay = new Map<string, Promise<void>>();
  const again = new Set<string>();

  function notifyRecovery(endpoint: EndpointRef): void {
    const { endpointId } = endpoint;
    if (underWay.has(endpointId)) {
      again.add(endpointId);
      return;
    }
    again.delete(endpointId);
    const call = startRecovery(endpoint)
      .catch(onFault)
      .then(() => new Promise<void>((resolve) => setTimeout(resolve, COALESCE_MS)))
      .finally(() => {
        underWay.delete(endpointId);
        if (again.has(endpointId)) notifyRecovery(endpoint);
      });
    underWay.set(endpointId, call);
  }

  return {
    notifyRecovery,
    async flush() {
      again.clear();
      await Promise.allSettled(underWay.values());
    },
  };
}
