/**
 * A port on which no TCP handshake is ever completed: the listener accepts no connection and its backlog is full, so the
 * kernel does not answer further connections.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface UnansweringListener {
  url: string;
  stop(): void;
}

const UNANSWERED_MS = 300;
const QUEUE_MAX = 10;

/** Listens, prints its port, and blocks its event loop forever. */
const PROGRAM = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

export async function startUnansweringListener(): Promise<UnansweringListener> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(printed.toString());
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
