/** Ends a process once, in order, and in bounded time. */

/** How long requests under way may take to finish, and how long the whole stop may take. */
export const DRAIN_MS = 5_000;
export const STOP_MS = 9_500;

/** A part of the service that runs until it is stopped. */
export interface RunningPart {
  /** Port on which it accepts requests; the worker has none. */
  port?: number;
  /** Directs clients elsewhere, and still serves those that come. */
  drain?(): void;
  stop(deadlineMs: number): Promise<void>;
}

interface ShutdownOptions {
  /** Null when it was not caused by a signal. */
  stop(signal: NodeJS.Signals | null): Promise<void>;
  print(line: string): void;
  /** After this time the process ends, even with unfinished work. */
  deadlineMs: number;
}

/** Stops on SIGINT, SIGTERM and SIGHUP, or when the returned function is called. */
export function stopOnSignal({ stop, print, deadlineMs }: ShutdownOptions): (exitCode?: number) => void {
  let isStopping = false;
  function end(exitCode = 0, signal: NodeJS.Signals | null = null): void {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(exitCode === 0 ? 1 : exitCode), deadlineMs).unref();
    stop(signal).then(
      () => process.exit(exitCode),
      (error) => {
        print(`Did not stop cleanly: ${error instanceof Error ? error.message : error}`);
        process.exit(1);
      },
    );
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!isStopping) print('Stopping …');
      end(0, signal);
    });
  }
  return end;
}
