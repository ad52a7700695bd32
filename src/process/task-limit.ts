/**
 * Runs tasks that nobody waits for, a few at a time, one of each owner in turn: the long queue of one holds up no other. What
 * is more than may wait is left out.
 */
export interface TaskLimitOptions {
  atOnceMax: number;
  /** Of one owner. */
  waitingMax: number;
}

export interface TaskLimit {
  run(owner: string, task: () => Promise<void>, onFault: (error: unknown) => void): void;
  /** Waits for those that are under way, and leaves out those that wait. */
  flush(): Promise<void>;
}

export function createTaskLimit({ atOnceMax, waitingMax }: TaskLimitOptions): TaskLimit {
  const underWay = new Set<Promise<void>>();
  /** By owner, whose turn is next first. */
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
    run(owner, task, onFault) {
      const tasks = waiting.get(owner) ?? [];
      if (tasks.length >= waitingMax) return;
      tasks.push(() => task().catch(onFault));
      waiting.set(owner, tasks);
      startNext();
    },
    async flush() {
      waiting.clear();
      await Promise.all(underWay);
    },
  };
}
