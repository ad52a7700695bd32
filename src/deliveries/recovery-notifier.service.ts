/** Tells an endpoint's workflow that there is trouble: once per endpoint at a time, and nobody waits for it. */
export interface Endpoint {
  id: string;
  organizationId: string;
}

export interface RecoveryNotifierDeps {
  startRecovery(endpoint: Endpoint): Promise<void>;
  /** The sweep makes up for it. */
  onFault(error: unknown): void;
}

export interface RecoveryNotifier {
  notifyRecovery(endpoint: Endpoint): void;
  flush(): Promise<void>;
}

const QUIET_MS = 200;

export function createRecoveryNotifier({ startRecovery, onFault }: RecoveryNotifierDeps): RecoveryNotifier {
  const underWay = new Map<string, Promise<void>>();
  const again = new Set<string>();

  function notifyRecovery(endpoint: Endpoint): void {
    if (underWay.has(endpoint.id)) {
      again.add(endpoint.id);
      return;
    }
    again.delete(endpoint.id);
    const call = startRecovery(endpoint)
      .catch(onFault)
      // Many failures at once are one piece of news.
      .then(() => new Promise<void>((resolve) => setTimeout(resolve, QUIET_MS)))
      .finally(() => {
        underWay.delete(endpoint.id);
        if (again.has(endpoint.id)) notifyRecovery(endpoint);
      });
    underWay.set(endpoint.id, call);
  }

  return {
    notifyRecovery,
    async flush() {
      again.clear();
      await Promise.allSettled(underWay.values());
    },
  };
}
