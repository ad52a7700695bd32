/** Ends a process once, in order, within a bound. */
export interface GracefulOptions {
  stop(): Promise<void>;
  print(line: string): void;
  /** After this the process ends whatever is left. */
  deadlineMs: number;
}

export function stopOnSignal({ stop, print, deadlineMs }: GracefulOptions): (exitCode?: number) => void {
  let isStopping = false;
  function end(exitCode = 0): void {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(exitCode === 0 ? 1 : exitCode), deadlineMs).unref();
    stop().then(
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
      end();
    });
  }
  return end;
}

/** How long requests under way are given, and how long the whole stop may take. */
export const DRAIN_MS = 5_000;
export const STOP_MS = 9_500;
