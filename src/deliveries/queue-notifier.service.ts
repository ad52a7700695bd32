/**
 * Notifies the dispatchers of all processes of deliveries that this process has queued, after the commits.
 * Inside a transaction, NOTIFY would hold a lock of the whole server until the commit is on disk, so commits
 * could no longer share a flush.
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';

interface QueueNotifierDeps {
  notify(endpoints: EndpointRef[]): Promise<void>;
  /** Minimum time between two notifications; the first one is sent at once. */
  gatherMs: number;
  /** Dispatchers find unannounced deliveries by polling. */
  onFault(error: unknown): void;
}

export function createQueueNotifier({ notify, gatherMs, onFault }: QueueNotifierDeps) {
  let gathered = new Map<string, EndpointRef>();
  let pause: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;
  let isStopping = false;

  async function send(): Promise<void> {
    const endpoints = [...gathered.values()];
    gathered = new Map();
    await notify(endpoints).catch(onFault);
  }

  function sendNext(): void {
    if (sending || pause || isStopping || gathered.size === 0) return;
    pause = setTimeout(() => {
      pause = null;
      sendNext();
    }, gatherMs);
    sending = send().finally(() => {
      sending = null;
      sendNext();
    });
  }

  return {
    queued(endpoints: readonly EndpointRef[]): void {
      for (const endpoint of endpoints) gathered.set(endpointKey(endpoint), endpoint);
      sendNext();
    },
    /** Sends gathered notifications. */
    async stop(): Promise<void> {
      isStopping = true;
      if (pause) clearTimeout(pause);
      await sending;
      if (gathered.size > 0) await send();
    },
  };
}
