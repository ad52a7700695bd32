/**
 * Starts or wakes an endpoint's workflow when its deliveries fail, in the background: at most one call per
 * endpoint and second, and none when the workflow checks the endpoint soon enough by itself. Each call costs
 * events of the workflow's history.
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';
import { createBackgroundTasks } from '../process/background-tasks.ts';

interface RecoveryNotifierDeps {
  startRecovery(endpoint: EndpointRef): Promise<void>;
  /** Whether a workflow checks the endpoint by that time; null: as soon as possible. */
  hasRunBy(endpoint: EndpointRef, dueAt: Date | null): Promise<boolean>;
  /** A failed call loses nothing: the sweep starts the workflow. */
  onFault(error: unknown): void;
}

const INTERVAL_MS = 1_000;

export function createRecoveryNotifier({ startRecovery, hasRunBy, onFault }: RecoveryNotifierDeps) {
  const calls = createBackgroundTasks(onFault);
  /**
   * Endpoints with a call that is under way, or ended within the interval, and the earliest due time to call for after it.
   * Null: at once; undefined: there is none.
   */
  const called = new Map<string, Date | null | undefined>();
  let isFlushing = false;

  function notifyRecovery(endpoint: EndpointRef, dueAt: Date | null = null): void {
    const key = endpointKey(endpoint);
    if (called.has(key)) {
      called.set(key, earlier(called.get(key), dueAt));
      return;
    }
    called.set(key, undefined);
    calls.add(call(endpoint, dueAt).finally(() => setTimeout(callAgain, INTERVAL_MS, endpoint).unref()));
  }

  function callAgain(endpoint: EndpointRef): void {
    const key = endpointKey(endpoint);
    const dueAt = called.get(key);
    called.delete(key);
    if (dueAt !== undefined && !isFlushing) notifyRecovery(endpoint, dueAt);
  }

  async function call(endpoint: EndpointRef, dueAt: Date | null): Promise<void> {
    if (!(await hasRunBy(endpoint, dueAt))) await startRecovery(endpoint);
  }

  return {
    /** Announces that the endpoint has something to do at that time; by default at once. */
    notifyRecovery,
    /** Waits for calls under way; the sweep makes up for those that would follow. */
    async flush(): Promise<void> {
      isFlushing = true;
      await calls.drain();
    },
  };
}

function earlier(one: Date | null | undefined, other: Date | null): Date | null {
  if (one === undefined) return other;
  return one === null || other === null ? null : new Date(Math.min(one.getTime(), other.getTime()));
}
