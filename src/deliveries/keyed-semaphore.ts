/** Limits how much runs at a time for each key, first come first served; a slow key delays no other key. */
export interface KeyedSemaphore {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Semaphore {
  running: number;
  waiting: Array<() => void>;
}

export function createKeyedSemaphore(perKeyMax: number): KeyedSemaphore {
  const semaphores = new Map<string, Semaphore>();

  async function acquire(key: string): Promise<void> {
    const semaphore = semaphores.get(key) ?? { running: 0, waiting: [] };
    semaphores.set(key, semaphore);
    if (semaphore.running < perKeyMax) semaphore.running++;
    else await new Promise<void>((resolve) => semaphore.waiting.push(resolve));
  }

  /** Hands the permit to the first waiter, if there is one. */
  function release(key: string): void {
    const semaphore = semaphores.get(key) as Semaphore;
    const next = semaphore.waiting.shift();
    if (next) next();
    else if (--semaphore.running === 0) semaphores.delete(key);
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
