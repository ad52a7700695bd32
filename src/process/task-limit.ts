/** Runs tasks that nobody waits for, a few at a time; what is more than may wait is left out. */
export interface TaskLimitOptions {
  atOnceMax: number;
  waitingMax: number;
}

export interface TaskLimit {
  run(task: () => Promise<void>, onFault: (error: unknown) => void): void;
  /** Waits for those that are under way, and leaves out those that wait. */
  flush(): Promise<void>;
}

export function createTaskLimit({ atOnceMax, waitingMax }: TaskLimitOptions): TaskLimit {
  const underWay = new Set<Promise<void>>();
  let waiting: Array<() => Promise<void>> = [];

  function startNext(): void {
    while (underWay.size < atOnceMax) {
      const next = waiting.shift();
      if (!next) return;
      const task: Promise<void> = next().finally(() => {
        underWay.delete(task);
        startNext();
      });
      underWay.add(task);
    }
  }

  return {
    run(task, onFault) {
      if (waiting.length >= waitingMax) return;
      waiting.push(() => task().catch(onFault));
      startNext();
    },
    async flush() {
      waiting = [];
      await Promise.all(underWay);
    },
  };
}
