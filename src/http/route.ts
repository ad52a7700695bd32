/**
 * A route is data: the middleware, the handler's types, the response filter, OpenAPI, /docs, limits and the
 * every-route tests are all derived from it.
 */

import type { IncomingMessage } from 'node:http';
import type Joi from 'joi';
import type { Actor, Transact } from '../db/transaction.ts';
import type { Audit } from './audit.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { createListCursors } from './list-cursors.ts';
import type { Role } from './role.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type KeyKind = 'customer' | 'device';

/** The caller of a request: an organization, through one of its keys. */
export interface Caller {
  keyId: string;
  keyName: string;
  /** The signed-in person that the audit trail names instead of the key. */
  actor?: Actor;
  /** The session of that person. */
  sessionId?: string;
  organizationId: string;
  kind: KeyKind;
  /** Null for device keys. */
  role: Role | null;
  /**
   * The only device that a device token is valid for, in lower case; null: all devices of the organization.
   */
  serialKey: string | null;
}

export const actorOf = ({ actor, keyId, keyName }: Caller): Actor => actor ?? { keyId, name: keyName };

/** Whether the key may speak for the device. Without a serial number, a key for one device may not. */
export const isValidForSerial = ({ serialKey }: Caller, serialNumber: string | undefined): boolean =>
  serialKey === null || serialKey === serialNumber?.toLowerCase();

export interface RouteRequest<Params, Query, Body> {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  /** The body as sent; empty if the handler reads the stream. */
  bytes: Buffer;
  /** The raw body of a route with `rawBody`: the handler reads it, up to `maxBytes`. */
  stream: IncomingMessage;
  /** Path and query as sent. */
  url: string;
  /** HEAD is answered like GET, and has no effect. */
  isHead: boolean;
  /** When its headers were read, which may be long before it is handled. */
  receivedAt: Date;
  /** Whether the client has closed the connection, and so gets no answer. */
  isAbandoned(): boolean;
  header(name: string): string | undefined;
  /**
   * For all writes: the row of the audit trail and the answer to an Idempotency-Key are stored in the same
   * transaction.
   */
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
  /** Further accepted media types. */
  otherTypes?: readonly string[];
  maxBytes: number;
  /**
   * The handler gets all bytes, which an Idempotency-Key then covers, too, and has a place of the limit from their
   * first byte on. Otherwise it reads the stream.
   */
  buffered?: ConcurrencyLimit;
  example?: string;
  /** Schema of JSON, if that is one of the other types. */
  json?: Joi.Schema;
}

/** The content of an answer by status: JSON of a schema, bytes of a type, or nothing. */
export type ResponseContract = Joi.Schema | Streamed | null;

interface Streamed {
  contentType: string;
  /** Example of text. */
  example?: string;
}

interface RouteDefinition<Params, Query, Body> {
  method: Method;
  /** With `{name}` for parameters, as in the specification. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** Default: customer. */
  auth?: KeyKind;
  /** Required role of a customer key. Default: read for GET, write for everything else. */
  role?: Role;
  params?: Joi.ObjectSchema<Params>;
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  rawBody?: RawBody;
  /**
   * Makes `body` of the bytes of a buffered raw body, before the transaction of an Idempotency-Key begins: PostgreSQL ends a
   * transaction that is idle while thousands of rows are read.
   */
  parse?(bytes: Buffer, contentType: string | undefined): Promise<Body>;
  responses: Record<number, ResponseContract>;
  /**
   * Another media type for status 200, chosen by Accept: the handler then returns a stream instead of JSON.
   */
  alternative?: Streamed;
  /** Error statuses of this operation, besides 400, 401, 429, 500 and 503. */
  errors?: ReadonlyArray<404 | 409 | 413 | 415>;
  /** Accepts an Idempotency-Key: a repeat would have another effect or answer. Default: POST of customers. */
  idempotent?: boolean;
  /**
   * The answer holds a secret: an Idempotency-Key repeats it only to the API key that sent the first request.
   */
  answersSecret?: boolean;
  /** Answers with a strong ETag, and with 304 when the caller already has that version. */
  conditional?: boolean;
  /** Content of its row in the audit trail. Every customer operation that changes something has one. */
  audit?: Audit;
  handle(request: RouteRequest<Params, Query, Body>): Promise<Reply>;
}

export type Route = RouteDefinition<unknown, unknown, unknown> & { auth: KeyKind };

/** Infers the handler's types from the schemas, then drops them, so a list of routes has one type. */
export function route<Params = Record<string, never>, Query = Record<string, never>, Body = undefined>(
  definition: RouteDefinition<Params, Query, Body>,
): Route {
  return withListCursors({ auth: 'customer', ...definition } as unknown as Route);
}

/** Gives the cursors of a list their mark. */
function withListCursors(definition: Route): Route {
  const cursors = createListCursors(definition);
  if (!cursors) return definition;
  const handle: Route['handle'] = async (request) =>
    cursors.write(await definition.handle(request), request.params as Record<string, string>, request.url);
  return { ...definition, handle };
}

const replyOf =
  (status: number) =>
  (body: unknown, headers?: Record<string, string>): Reply => ({ status, body, headers });

export const ok = replyOf(200);
export const created = replyOf(201);
export const noContent = (): Reply => ({ status: 204 });

export const takesIdempotencyKey = (definition: Route): boolean =>
  definition.idempotent ?? (definition.method === 'POST' && definition.auth === 'customer');

/** The role that a customer key needs for the operation; null for operations of devices. */
export const neededRole = ({ auth, role, method }: Route): Role | null =>
  auth === 'device' ? null : (role ?? (method === 'GET' ? 'read' : 'write'));

/**
 * One page of a list by keyset. Its query reads one row more than the limit; the last item kept is the
 * cursor.
 */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export function pageOf<Item, View>(
  rows: Item[],
  limit: number,
  cursorOf: (item: Item) => string,
  view: (item: Item) => View,
): Page<View> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? cursorOf(last) : null;
  return { items: items.map(view), nextCursor };
}
