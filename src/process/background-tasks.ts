/** Background work that only a stop waits for. */
export function createBackgroundTasks(onFault: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  return {
    add(work: Promise<void>): void {
      const task: Promise<void> = work.catch(onFault).finally(() => running.delete(task));
      running.add(task);
    },
    /** Waits until nothing is under way, including work that is added meanwhile. */
    async drain(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
