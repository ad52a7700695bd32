/** Bodies that are too large to be held: received and sent piece by piece, no faster than the other side goes along. */
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
    // The rest of a body that was refused: the answer may wait behind it.
    request.resume();
  }
}

/** The first piece is read before the answer begins, so that a fault still has a status. */
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
