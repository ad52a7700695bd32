/**
 * Starts or wakes an endpoint's workflow when its deliveries fail, in the background: at most one call per
 * endpoint and second, and none when the workflow checks the endpoint soon enough by itself. Each call costs
 * events of the workflow's history.
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';

interface RecoveryNotifierDeps {
  startRecovery(endpoint: EndpointRef): Promise<void>;
  /** Whether a workflow checks the endpoint by that time; null: as soon as possible. */
  hasRunBy(endpoint: EndpointRef, dueAt: Date | null): Promise<boolean>;
  /** A failed call loses nothing: the sweep starts the workflow. */
  onFault(error: unknown): void;
}

const INTERVAL_MS = 1_000;

export function createRecoveryNotifier({ startRecovery, hasRunBy, onFault }: RecoveryNotifierDeps) {
  const calls = new Map<string, Promise<void>>();
  /** The earliest due time to call for after the interval, per endpoint; null: at once. */
  const next = new Map<string, Date | null>();
  const endPauses = new Set<() => void>();
  let isFlushing = false;

  function notifyRecovery(endpoint: EndpointRef, dueAt: Date | null = null): void {
    const key = endpointKey(endpoint);
    if (calls.has(key)) next.set(key, next.has(key) ? earlier(next.get(key) ?? null, dueAt) : dueAt);
    else calls.set(key, callAndPause(endpoint, dueAt));
  }

  async function callAndPause(endpoint: EndpointRef, dueAt: Date | null): Promise<void> {
    const key = endpointKey(endpoint);
    await call(endpoint, dueAt).catch(onFault);
    if (!isFlushing) await pause();
    calls.delete(key);
    const nextDueAt = next.get(key);
    if (next.delete(key) && !isFlushing) notifyRecovery(endpoint, nextDueAt);
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, INTERVAL_MS);
      endPauses.add(end);
      function end(): void {
        clearTimeout(timer);
        endPauses.delete(end);
        resolve();
      }
    });
  }

  async function call(endpoint: EndpointRef, dueAt: Date | null): Promise<void> {
    if (!(await hasRunBy(endpoint, dueAt))) await startRecovery(endpoint);
  }

  return {
    /** Announces that the endpoint has something to do at that time; by default at once. */
    notifyRecovery,
    async flush(): Promise<void> {
      isFlushing = true;
      for (const end of endPauses) end();
      await Promise.allSettled(calls.values());
    },
  };
}

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one === null || other === null ? null : new Date(Math.min(one.getTime(), other.getTime()));
