/** So many at a time for each key, first come first served: one key that is slow waits for itself alone. */
export interface KeyedSemaphore {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Semaphore {
  taken: number;
  waiting: Array<() => void>;
}

export function createKeyedSemaphore(perKeyMax: number): KeyedSemaphore {
  const semaphores = new Map<string, Semaphore>();

  async function acquire(key: string): Promise<void> {
    const semaphore = semaphores.get(key) ?? { taken: 0, waiting: [] };
    semaphores.set(key, semaphore);
    if (semaphore.taken < perKeyMax) semaphore.taken++;
    else await new Promise<void>((resolve) => semaphore.waiting.push(resolve));
  }

  /** The place goes straight to the next in line. */
  function release(key: string): void {
    const semaphore = semaphores.get(key) as Semaphore;
    const next = semaphore.waiting.shift();
    if (next) next();
    else if (--semaphore.taken === 0) semaphores.delete(key);
  }

  return {
    async run(key, work) {
      await acquire(key);
      try {
        return await work();
      } finally {
        release(key);
      }
    },
  };
}
