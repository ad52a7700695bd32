/** `npm start`: PostgreSQL, a Temporal server and the whole service on this machine, in one command. */
import { runMain } from '../../src/process/run-main.ts';
import { STOP_MS, stopOnSignal } from '../../src/process/shutdown.ts';
import { startEverything } from '../local/start-everything.ts';
import { readStartSettings } from '../local/start-settings.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

await runMain(async () => {
  const stack = startStack();
  const end = stopOnSignal({ stop: stack.stop, print, deadlineMs: STOP_MS });
  await stack.run(() =>
    startEverything({ start: readStartSettings(), print, onStop: stack.onStop, onServerExit: end }),
  );
});

/** Stops everything in reverse order, even when the start itself fails or is interrupted. */
function startStack() {
  const stops: Array<() => Promise<unknown>> = [];
  async function stop(): Promise<void> {
    for (const each of stops.splice(0).reverse()) await each();
  }
  return {
    stop,
    onStop: (each: () => Promise<unknown>) => void stops.push(each),
    async run(start: () => Promise<void>): Promise<void> {
      try {
        await start();
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
}
