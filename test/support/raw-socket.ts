/** HTTP as bytes, for requests that no client library can send. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Less than the server keeps a connection open that it has answered. */
const SERVER_MS = 60_000;

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends the chunks, half-closes if asked to, and reads until the server closes. Null: closed without an answer. */
export async function exchange(
  baseUrl: string,
  chunks: Array<string | Buffer>,
  { end = false } = {},
): Promise<RawAnswer | null> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setTimeout(SERVER_MS, () => socket.destroy(new Error('the server neither answered nor closed')));
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const closed = once(socket, 'end').finally(() => socket.destroy());
  for (const chunk of chunks) socket.write(chunk);
  if (end) socket.end();
  // A server may reset the connection before it has read everything; its response still counts.
  await closed.catch((error) => {
    if (received.length === 0 || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  });
  return answerOf(Buffer.concat(received).toString());
}

/**
 * Reads nothing before everything is sent, like simple clients. Fails if the server closes the connection
 * earlier.
 */
export async function sendBeforeReading(
  baseUrl: string,
  chunks: Array<string | Buffer>,
): Promise<RawAnswer | null> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(SERVER_MS, () => socket.destroy(new Error('the server neither answered nor closed')));
  for (const chunk of chunks) {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
  const received: Buffer[] = [];
  for await (const chunk of socket) received.push(chunk);
  return answerOf(Buffer.concat(received).toString());
}

function answerOf(text: string): RawAnswer | null {
  if (text === '') return null;
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}
