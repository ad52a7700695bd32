/** A timer that is to wait for longer fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Waits for 24 days at most. Rejects with the reason of the signal when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const onEnd = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const timer = setTimeout(onEnd, Math.min(ms, TIMER_MS_MAX));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
