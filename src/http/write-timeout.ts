/**
 * Closes connections whose client reads nothing of its answer for a time. The timeout of the socket does not
 * serve, because it restarts with every byte from the client.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Progress {
  sent: number;
  /** Bytes left of a write that is under way. */
  queued: number;
  at: number;
}

const CHECKS_PER_TIMEOUT = 4;

/** Watches the responses of the set until it is stopped. */
export function startWriteTimeout(responses: ReadonlySet<ServerResponse>, timeoutMs: number): () => void {
  const latest = new WeakMap<ServerResponse, Progress>();

  function check(): void {
    const at = performance.now();
    for (const response of responses) {
      const { socket } = response;
      if (!socket || socket.writableLength === 0) {
        latest.delete(response);
        continue;
      }
      const before = latest.get(response);
      const now = progressOf(socket, at);
      if (before?.sent !== now.sent || before.queued !== now.queued) latest.set(response, now);
      else if (at - before.at >= timeoutMs) socket.destroy();
    }
  }

  const timer = setInterval(check, timeoutMs / CHECKS_PER_TIMEOUT).unref();
  return () => clearInterval(timer);
}

function progressOf(socket: Socket, at: number): Progress {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return { sent: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0, at };
}
