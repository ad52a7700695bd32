/** Shared by the tests of bad requests. */
import assert from 'node:assert/strict';
import type { Change } from '../support/operations.ts';
import type { RawAnswer } from '../support/raw-socket.ts';

export interface Bad extends Change {
  what: string;
}

type Place = Array<string | number>;

/** The value itself and everything in it. */
export function* places(value: unknown, at: Place = []): Generator<[Place, unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* places(inner, [...at, key]);
}

export function replacedAt(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (copy as Record<string, unknown>)[key];
  return Object.assign(copy, { [key]: replacedAt(inner, rest, by) });
}

/** As JSON.parse creates it: `__proto__` is an ordinary key. */
export const withKey = (value: unknown, key: string, inner: unknown) =>
  Object.fromEntries([...Object.entries(value as object), [key, inner]]);

export const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const raw = (what: string, payload: string | Buffer, headers?: Record<string, string>): Bad => ({
  what,
  options: { raw: payload, headers },
});

export function assertError(answer: RawAnswer | null, status: number, what = ''): void {
  assert.ok(answer, `closed without an answer ${what}`);
  assert.equal(answer.status, status, `${what} ${answer.body}`);
  const body = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(body).sort(), ['message', 'success']);
  assert.equal(body.success, false);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.match(answer.headers['request-id'] ?? '', /^[A-Za-z0-9_-]{1,64}$/);
  assert.match(answer.headers.link ?? '', /^<\/docs\/errors#[a-z-]+>; rel="help"$/);
}
