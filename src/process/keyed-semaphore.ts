/**
 * Limits concurrency: per key, first come first served, and in total. Keys take turns, so a slow key delays
 * no other one.
 */
export interface KeyedSemaphore {
  /** @throws NoTurn when the work could not start within `waitMaxMs`, or too much work of the key waits. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface KeyedSemaphoreOptions {
  perKeyMax: number;
  /** Default: no limit. */
  totalMax?: number;
  /** Default: waits without a limit. */
  waitMaxMs?: number;
  /** Waiting work per key. Default: no limit. */
  waitingMax?: number;
  /** Called when work got no turn. */
  onRefused?(): void;
}

/** The work did not start: nothing has happened. */
export class NoTurn extends Error {}

interface Semaphore {
  running: number;
  waiting: Array<() => void>;
}

export function createKeyedSemaphore(options: KeyedSemaphoreOptions): KeyedSemaphore {
  const { perKeyMax, waitMaxMs, onRefused } = options;
  const { totalMax = Number.POSITIVE_INFINITY, waitingMax = Number.POSITIVE_INFINITY } = options;
  const semaphores = new Map<string, Semaphore>();
  /** Keys that have a waiter and may run more; the first one is next. */
  const turns = new Set<string>();
  let total = 0;

  async function acquire(key: string): Promise<void> {
    const semaphore = semaphores.get(key) ?? { running: 0, waiting: [] };
    if (semaphore.waiting.length >= waitingMax) {
      onRefused?.();
      throw new NoTurn();
    }
    semaphores.set(key, semaphore);
    const started = wait(key, semaphore);
    queueTurn(key, semaphore);
    startNext();
    await started;
  }

  function wait(key: string, semaphore: Semaphore): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = waitMaxMs === undefined ? undefined : setTimeout(giveUp, waitMaxMs);
      function start(): void {
        clearTimeout(timer);
        resolve();
      }
      function giveUp(): void {
        semaphore.waiting.splice(semaphore.waiting.indexOf(start), 1);
        if (semaphore.waiting.length === 0) turns.delete(key);
        removeIfIdle(key, semaphore);
        onRefused?.();
        reject(new NoTurn());
      }
      semaphore.waiting.push(start);
    });
  }

  function queueTurn(key: string, { running, waiting }: Semaphore): void {
    if (waiting.length > 0 && running < perKeyMax) turns.add(key);
  }

  function startNext(): void {
    for (const key of turns) {
      if (total >= totalMax) return;
      const semaphore = semaphores.get(key) as Semaphore;
      turns.delete(key);
      semaphore.running++;
      total++;
      semaphore.waiting.shift()?.();
      queueTurn(key, semaphore);
    }
  }

  function release(key: string): void {
    const semaphore = semaphores.get(key) as Semaphore;
    semaphore.running--;
    total--;
    queueTurn(key, semaphore);
    startNext();
    removeIfIdle(key, semaphore);
  }

  function removeIfIdle(key: string, { running, waiting }: Semaphore): void {
    if (running === 0 && waiting.length === 0) semaphores.delete(key);
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

type Method = (of: never, ...rest: never[]) => PromiseLike<unknown>;
type Owner = string | { organizationId: string };

/** The methods of these names take turns by organization: their first argument is its id, or has it. */
export function inTurns<Name extends string, Methods extends Record<Name, Method>>(
  methods: Methods,
  turns: KeyedSemaphore,
  ...names: Name[]
): Methods {
  const inTurn =
    (name: Name) =>
    (of: Owner, ...rest: never[]) =>
      turns.run(typeof of === 'string' ? of : of.organizationId, async () =>
        methods[name](of as never, ...rest),
      );
  return { ...methods, ...Object.fromEntries(names.map((name) => [name, inTurn(name)])) };
}
