/** Long answers end early when the key or the session that asked for them ends: a client may read for hours. */
import { pipeline, Readable, Transform } from 'node:stream';
import type { Reply } from './route.ts';

/** Asks before each piece of a streamed answer. A connection without its end says that the answer is not whole. */
export function revocable(reply: Reply, isValid: () => Promise<boolean>): Reply {
  if (!(reply.body instanceof Readable)) return reply;
  const body = new Transform({
    highWaterMark: 1,
    transform(piece, _encoding, done) {
      isValid().then(
        (valid) => done(valid ? null : new Error('The API key or the session has ended'), piece),
        done,
      );
    },
  });
  // Each end closes the other one, also when the client has gone; errors reach who sends the answer.
  pipeline(reply.body, body, () => {});
  return { ...reply, body };
}
