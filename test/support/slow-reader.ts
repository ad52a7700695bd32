/** Clients that request much and read little of the answer, or nothing. */
import { connect } from 'node:net';

export interface SlowReader {
  /** Status of the answer; resolves with its first bytes. */
  status: Promise<number>;
  /**
   * Reads the rest at once; returns the total number of bytes, and whether the server ended the connection
   * early.
   */
  readOn(): Promise<{ bytes: number; text: string }>;
  stop(): void;
}

export interface SlowReaderOptions {
  path: string;
  /** Default: none. */
  token?: string;
  headers?: Record<string, string>;
  /** Bytes to read each tenth of a second; default: none. */
  bytesPerTick?: number;
}

const TICK_MS = 100;

export function startSlowReader(baseUrl: string, options: SlowReaderOptions): SlowReader {
  const { path, token, headers = {}, bytesPerTick = 0 } = options;
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
  const fields = Object.entries({
    Host: 'x',
    Connection: 'close',
    ...(token && { Authorization: `Bearer ${token}` }),
    ...headers,
  });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const chunks: Buffer[] = [];
  const ended = new Promise((resolve) => socket.once('close', resolve));
  let allowed = 0;

  function take(chunk: Buffer): void {
    chunks.push(chunk);
    allowed -= chunk.length;
    if (allowed <= 0) socket.pause();
  }

  const status = new Promise<number>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString('latin1').split(' ')[1])));
    socket.once('close', () => resolve(0));
  });
  socket.on('data', take);
  const timer = setInterval(() => {
    if (bytesPerTick === 0) return;
    allowed = bytesPerTick;
    socket.resume();
  }, TICK_MS);

  return {
    status,
    async readOn() {
      clearInterval(timer);
      allowed = Number.POSITIVE_INFINITY;
      socket.resume();
      await ended;
      const whole = Buffer.concat(chunks);
      return { bytes: whole.length, text: whole.toString('latin1') };
    },
    stop() {
      clearInterval(timer);
      socket.destroy();
    },
  };
}
