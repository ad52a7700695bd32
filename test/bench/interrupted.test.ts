/** An interrupted bench leaves nothing behind that would distort the figures of the next one. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/fleet.ts';

const BENCH = fileURLToPath(new URL('./interrupted-bench.ts', import.meta.url));

describe('A bench', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops the processes that it has started when it gets ${signal}`, async () => {
      const bench: ChildProcess = spawn(process.execPath, ['--import=#typescript', BENCH], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [port] = await once(bench.stdout as NodeJS.ReadableStream, 'data');
      const isAnswering = () =>
        fetch(`http://127.0.0.1:${Number(port)}/livez`).then(
          () => true,
          () => false,
        );
      assert.equal(await isAnswering(), true);
      bench.kill(signal);
      const [code] = await once(bench, 'exit');
      await eventually(isAnswering, (answers) => !answers);
      assert.equal(code, 1);
    });
  }
});
