/** Ends a process once, in order, and in bounded time. */

/** How long requests under way may take to finish, and how long the whole stop may take. */
export const DRAIN_MS = 5_000;
export const STOP_MS = 9_500;

/** A part of the service that runs until it is stopped. */
export interface RunningPart {
  /** Where it accepts requests; the worker accepts none. */
  port?: number;
  /** Sends clients elsewhere, and goes on serving those that come all the same. */
  drain?(): void;
  stop(deadlineMs: number): Promise<void>;
}

export interface ShutdownOptions {
  /** Null when no signal has caused it. */
  stop(signal: NodeJS.Signals | null): Promise<void>;
  print(line: string): void;
  /** After this the process ends, whatever is left. */
  deadlineMs: number;
}

/** Stops on SIGINT and SIGTERM, or when the function that it answers with is called. */
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!isStopping) print('Stopping …');
      end(0, signal);
    });
  }
  return end;
}
