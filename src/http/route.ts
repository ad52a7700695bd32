/**
 * A route is data: the middleware, the handler's types, the response filter, OpenAPI, /docs, limits and the
 * every-route tests are all derived from it.
 */
import type { IncomingMessage } from 'node:http';
import type Joi from 'joi';
import type { Transact } from '../db/transaction.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type KeyKind = 'customer' | 'device';

/** Who asks: an organization, through one of its keys. */
export interface Caller {
  keyId: string;
  organizationId: string;
  kind: KeyKind;
}

export interface RouteRequest<Params, Query, Body> {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  /** The raw body of a route with `rawBody`: the handler reads it, within its bound. */
  stream: IncomingMessage;
  /** Path and query as sent. */
  url: string;
  header(name: string): string | undefined;
  /** The transaction to write in: with an Idempotency-Key it also holds the stored answer. */
  transact: Transact;
}

export interface Reply {
  status: number;
  /** JSON when the status declares a schema; bytes when it declares a content type. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface RawBody {
  contentType: string;
  maxBytes: number;
}

/** What one status answers with: JSON of a schema, bytes of a type, or nothing. */
export type ResponseContract = Joi.Schema | { contentType: string } | null;

export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  method: Method;
  /** With `{name}` for parameters, as in the specification. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  auth: KeyKind;
  params?: Joi.ObjectSchema<Params>;
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  rawBody?: RawBody;
  responses: Record<number, ResponseContract>;
  /** Another form of the answer 200, for who asks for it in Accept: the handler gives a stream in place of JSON. */
  alternative?: { contentType: string };
  /** Statuses of errors that are this operation's own, beside 400, 401, 429, 500 and 503. */
  errors?: ReadonlyArray<404 | 409 | 413 | 415>;
  /** Takes an Idempotency-Key. Default: POST of customers. */
  idempotent?: boolean;
  /** Answers with a strong ETag, and 304 when the caller has it already. */
  conditional?: boolean;
  handle(request: RouteRequest<Params, Query, Body>): Promise<Reply>;
}

/** Infers the handler's types from the schemas, then forgets them: a list of routes has one type. */
export function route<Params = Record<string, never>, Query = Record<string, never>, Body = undefined>(
  definition: Route<Params, Query, Body>,
): Route {
  return definition as unknown as Route;
}

export const ok = (body: unknown, headers?: Record<string, string>): Reply => ({
  status: 200,
  body,
  headers,
});
export const created = (body: unknown, headers?: Record<string, string>): Reply => ({
  status: 201,
  body,
  headers,
});
export const noContent = (): Reply => ({ status: 204 });

export const takesIdempotencyKey = (definition: Route): boolean =>
  definition.idempotent ?? (definition.method === 'POST' && definition.auth === 'customer');

/** One page of a list by keyset: read one row more than asked for, and the last item kept is the next cursor. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export function pageOf<Item>(rows: Item[], limit: number, cursorOf: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** `Link: <…>; rel="next"`, relative to where the page was read. */
export function nextLink(url: string, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URL(url, 'http://relative');
  next.searchParams.set('cursor', nextCursor);
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
}
