/**
 * Runs background tasks, a few at a time, one of each owner in turn, so that the long queue of one delays no
 * other. Tasks beyond the limit of waiting ones are dropped.
 */
interface TaskLimitOptions {
  atOnceMax: number;
  /** Per owner. */
  waitingMax: number;
}

export function createTaskLimit({ atOnceMax, waitingMax }: TaskLimitOptions) {
  const underWay = new Set<Promise<void>>();
  /** Waiting tasks by owner; the first owner is next. */
  const waiting = new Map<string, Array<() => Promise<void>>>();

  function takeNext(): (() => Promise<void>) | null {
    const [owner, tasks] = waiting.entries().next().value ?? [];
    const next = tasks?.shift();
    if (owner === undefined || !tasks || !next) return null;
    waiting.delete(owner);
    if (tasks.length > 0) waiting.set(owner, tasks);
    return next;
  }

  function startNext(): void {
    while (underWay.size < atOnceMax) {
      const next = takeNext();
      if (!next) return;
      const task: Promise<void> = next().finally(() => {
        underWay.delete(task);
        startNext();
      });
      underWay.add(task);
    }
  }

  return {
    run(owner: string, task: () => Promise<void>, onFault: (error: unknown) => void): void {
      const tasks = waiting.get(owner) ?? [];
      if (tasks.length >= waitingMax) return;
      tasks.push(() => task().catch(onFault));
      waiting.set(owner, tasks);
      startNext();
    },
    /** Waits for tasks under way, and drops waiting ones. */
    async flush(): Promise<void> {
      waiting.clear();
      await Promise.all(underWay);
    },
  };
}
