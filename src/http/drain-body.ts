/**
 * Answers a request whose body is not wanted. Many clients send a whole body before they read: if the
 * connection is closed earlier, it is reset, and the answer lost. So the body is read and dropped for a
 * while.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const DRAINED_BYTES_MAX = 64 * 1024 * 1024;
const DRAIN_MS = 5_000;

/**
 * Status and headers are already set. The whole answer is sent at once; the connection is closed when the
 * body ends.
 */
export async function sendAndDrain(response: ServerResponse, body: object): Promise<void> {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Connection', 'close');
  response.write(text);
  await drained(response.req);
  response.end();
}

function drained(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) {
      resolve();
      return;
    }
    let bytes = 0;
    const timer = setTimeout(end, DRAIN_MS);
    function end(): void {
      clearTimeout(timer);
      request.off('data', count);
      resolve();
    }
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > DRAINED_BYTES_MAX) end();
    }
    request.on('data', count).once('end', end).once('error', end).once('close', end).resume();
  });
}
