/**
 * Disconnects clients that read nothing of an answer for a time, or hardly anything for longer: such an answer would hold
 * one of the few places for exports and downloads. The timeout of the socket does not serve, because it restarts
 * with every byte from the client.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MINUTE_MS } from '../process/durations.ts';

interface Progress {
  /** Bytes that the system has taken: a write may be under way for minutes. */
  sent: number;
  at: number;
}

/** Since when the client has read nothing, and since when its rate counts. */
interface Reading {
  latest: Progress;
  first: Progress;
}

const RATE_MS = 10 * MINUTE_MS;
/** A certificate of 10 MiB takes less than an hour. */
const BYTES_PER_SECOND_MIN = 4_096;

/** Returns a function that is to be called several times in each `timeoutMs`, with all answers that are under way. */
export function createSlowReaderCheck(timeoutMs: number, now: () => number = () => performance.now()) {
  const readings = new WeakMap<object, Reading>();
  return (answers: Iterable<Pick<ServerResponse, 'socket'>>): void => {
    for (const answer of answers) {
      const { socket } = answer;
      // Only a client that leaves bytes unread is slow: otherwise it waits for the service.
      if (!socket || socket.writableLength === 0) {
        readings.delete(answer);
        continue;
      }
      const progress = progressOf(socket, now());
      const { latest, first } = readings.get(answer) ?? { latest: progress, first: progress };
      const isReading = latest.sent !== progress.sent;
      const hasRate = progress.at - first.at >= RATE_MS;
      if (!isReading && progress.at - latest.at >= timeoutMs) socket.destroy();
      else if (hasRate && rateOf(first, progress) < BYTES_PER_SECOND_MIN) socket.destroy();
      readings.set(answer, { latest: isReading ? progress : latest, first: hasRate ? progress : first });
    }
  };
}

const rateOf = (first: Progress, last: Progress): number =>
  (1_000 * (last.sent - first.sent)) / (last.at - first.at);

function progressOf(socket: Socket, at: number): Progress {
  const { _handle } = socket as Socket & {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return { sent: _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0, at };
}
