/**
 * A port on which no handshake is ever finished: its listener takes nobody, and its queue is full, so that the kernel
 * leaves whoever comes next without an answer.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface DeafListener {
  url: string;
  stop(): void;
}

const UNANSWERED_MS = 300;
const QUEUE_MAX = 10;

/** Listens, tells its port, and never comes back to its event loop. */
const PROGRAM = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

export async function startDeafListener(): Promise<DeafListener> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(said.toString());
  const queued: Socket[] = [];
  function stop(): void {
    for (const socket of queued) socket.destroy();
    child.kill('SIGKILL');
  }
  while (queued.length < QUEUE_MAX) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    queued.push(socket);
    const isQueued = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), UNANSWERED_MS)),
    ]);
    if (!isQueued) return { url: `http://127.0.0.1:${port}/hook`, stop };
  }
  stop();
  throw new Error('the queue of the listener does not fill up');
}
