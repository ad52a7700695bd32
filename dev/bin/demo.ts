/** `npm run demo`: shows the service in about a minute. */
import { randomBytes } from 'node:crypto';
import { endWithoutReader } from '../../src/process/run-main.ts';
import { STOP_MS, stopOnSignal } from '../../src/process/shutdown.ts';
import { cleanUpAfterDemos, runDemo } from '../demo/run-demo.ts';
import { environmentBeside } from '../local/start-settings.ts';

const RUN_DIGITS = 6;
const SECRET_BYTES = 32;
const EXTRA_STOP_MS = 5_000;
const print = (line: string) => void process.stdout.write(`${line}\n`);
const stops: Array<() => Promise<unknown>> = [];

endWithoutReader();
let isStopping = false;
const end = stopOnSignal({
  print,
  deadlineMs: STOP_MS + EXTRA_STOP_MS,
  async stop() {
    isStopping = true;
    // The story goes on meanwhile, and may add one.
    while (stops.length > 0) await stops.pop()?.();
  },
});

const seconds = Math.floor(Date.now() / 1000) % 16 ** RUN_DIGITS;
try {
  if (process.argv.includes('--clean')) await cleanUpAfterDemos(print);
  else
    await runDemo({
      env: environmentBeside(),
      keep: process.argv.includes('--keep'),
      run: seconds.toString(16).padStart(RUN_DIGITS, '0').toUpperCase(),
      secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
      print,
      onStop: (stop) => void stops.push(stop),
    });
  end();
} catch (error) {
  // After Ctrl-C, all work under way fails with errors of its own.
  if (!isStopping) print(`\nThe demo stops here. ${error instanceof Error ? error.message : error}`);
  end(1);
}
