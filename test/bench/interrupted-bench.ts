/** A bench that starts a receiver and then measures forever. */
import { createChildProcesses } from '../../bench/support/child-processes.ts';
import { runChosen } from '../../bench/support/run-chosen.ts';
import { freePort } from '../../dev/embedded/free-port.ts';

await runChosen({ endless: () => new Promise<void>(() => setInterval(() => {}, 1_000)) }, async (onStop) => {
  const processes = createChildProcesses(process.env);
  onStop(processes.stop);
  const port = await freePort();
  await processes.startUntilAnswering('bench/sink.ts', `http://127.0.0.1:${port}/livez`, {
    PORT: String(port),
  });
  process.stdout.write(`${port}\n`);
});
