/**
 * Runs a program that starts others, and stops these once, the latest first, when the program ends, fails or
 * is interrupted. A second signal ends it at once; servers with a guard are still stopped.
 */
export type OnStop = (stop: () => unknown) => void;

export async function runAndStop(run: (onStop: OnStop) => Promise<void>): Promise<void> {
  const stops: Array<() => unknown> = [];
  const running = run((stop) => void stops.push(stop));
  let isInterrupted = false;
  try {
    isInterrupted = await Promise.race([untilInterrupted(), running.then(() => false)]);
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
  if (isInterrupted) process.exit(1);
}

function untilInterrupted(): Promise<true> {
  let isSecond = false;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // A closed terminal fails the writing below, which sends another SIGHUP.
        if (isSecond && signal !== 'SIGHUP') process.exit(1);
        if (isSecond) return;
        isSecond = true;
        process.stderr.write('Stopping …\n');
        resolve(true);
      });
    }
  });
}
