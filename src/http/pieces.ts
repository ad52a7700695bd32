/** Bodies that are too large for memory: received and sent in pieces, at the pace of the other side. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AppError, invalid } from '../process/errors.ts';
import { requireSize, tooLarge } from './read-body.ts';

export async function* readPieces(request: IncomingMessage, bytesMax: number): AsyncGenerator<Buffer> {
  requireSize(request, bytesMax);
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      size += piece.length;
      if (size > bytesMax) throw tooLarge(bytesMax);
      yield piece;
    }
  } catch (error) {
    throw error instanceof AppError ? error : invalid('The body ended before it was complete');
  } finally {
    // Reads the rest of a refused body, because the client may read the answer only after sending it.
    request.resume();
  }
}

/** Reads the first piece before the answer begins, so that a fault still has a status. */
export async function streamOf(pieces: AsyncIterable<string | Buffer>): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<string | Buffer> {
    try {
      for (let piece = first; !piece.done; piece = await iterator.next()) yield piece.value;
    } finally {
      await iterator.return?.();
    }
  }
  return Readable.from(all(), { objectMode: false, highWaterMark: 1 });
}
