/** Sends replies, with the headers of every response. */

import { createHash, randomUUID } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import type { Context } from 'koa';
import { maskKeys } from '../process/mask-keys.ts';
import { type StoredAnswer, toStored } from './idempotency.ts';
import { isBytes } from './project-response.ts';
import type { Reply, Route } from './route.ts';

export function sendReply(ctx: Context, definition: Route, reply: Reply): void {
  if (reply.headers) ctx.set(reply.headers);
  if (!isBytes(reply.body)) {
    sendText(ctx, definition, toStored(reply));
    return;
  }
  ctx.status = reply.status;
  ctx.body = reply.body;
}

export function sendText(
  ctx: Context,
  { conditional }: Route,
  { status, body, location }: StoredAnswer,
): void {
  ctx.status = status;
  if (location !== null) ctx.set('Location', location);
  if (body === '') return;
  if (conditional && isFresh(ctx, body)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = body;
}

function isFresh(ctx: Context, body: string): boolean {
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`;
  ctx.set('ETag', etag);
  return matchesTag(ctx.get('If-None-Match'), etag);
}

/** Whether the caller already has the answer with this tag (weak comparison, RFC 9110, 13.1.2). */
export const matchesTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Uses the caller's own id if it is safe in headers and logs and contains no key; else a new one. */
export function chooseRequestId(header?: string | string[]): string {
  const isHarmless = typeof header === 'string' && ACCEPTED.test(header) && maskKeys(header) === header;
  return isHarmless ? header : randomUUID();
}

/** Headers of every response, including responses sent outside of the application. */
export const commonHeaders = (requestId: string) => ({
  'Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});

/**
 * Ends a streamed answer when the key or the session that asked for it ends, because a client may read for hours. A
 * connection without its end says that the answer is not whole.
 */
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
