/**
 * The Koa application: the checks of every request, for any resource. Their order is part of the contract:
 * route (404, 405), limit (429) and key (401), role (403), media type and size (415, 413), shape (400).
 * Handlers check last: things that do not exist (404), rules of the domain (409).
 */
import type { IncomingMessage } from 'node:http';
import Koa, { type Context, type Middleware } from 'koa';
import type { Transact } from '../db/transaction.ts';
import { AppError, invalid } from '../process/errors.ts';
import type { Tracing } from '../process/tracing.ts';
import { type CountUnread, createAnswerBudget } from './answer-budget.ts';
import type { RecordAudit } from './audit.ts';
import type { Authenticate, IsStillValid } from './authenticate.ts';
import { addressOf, type ClientAddress, limitedAs } from './client-address.ts';
import { isEncodedUtf8 } from './encoded-utf8.ts';
import { createFindRoute } from './find-route.ts';
import { fingerprintOf, idempotencyKey, type WithIdempotency } from './idempotency.ts';
import { createOperation } from './operations.ts';
import {
  createBodyBudgets,
  type JsonBody,
  readBytes,
  readJsonBody,
  requireMediaType,
  sendAndDrain,
  type TakeBytes,
} from './read-body.ts';
import { type ErrorStatus, helpLink, renderError } from './render-error.ts';
import { chooseRequestId, commonHeaders, revocable, sendReply, sendText } from './responder.ts';
import { type Caller, type RawBody, type Route, takesIdempotencyKey } from './route.ts';
import { traceRequests } from './trace-requests.ts';

export interface RequestLog {
  requestId: string;
  operationId: string;
  method: string;
  /** Address of the client. */
  address: string;
  status: number;
  durationMs: number;
  organizationId?: string;
  error?: unknown;
}

interface AppOptions {
  routes: Route[];
  authenticate: Authenticate;
  isStillValid: IsStillValid;
  clientAddress: ClientAddress;
  transactFor(organizationId: string): Transact;
  withIdempotency: WithIdempotency;
  recordAudit: RecordAudit;
  /** Turns a fault of a dependency into the error that the caller gets. */
  translateFault(error: unknown): unknown;
  observe(entry: RequestLog): void;
  extras: ReadOnlyPaths[];
  /** Paths for people, which also render their own errors; null: there are none. */
  pages: ReadOnlyPaths | null;
  /** Null: no traces. */
  tracing: Tracing | null;
  now(): Date;
}

/** Paths outside of the operations of the API, such as health and documentation, which can only be read. */
export interface ReadOnlyPaths {
  has(path: string): boolean;
  handle: Middleware;
}

interface State {
  operationId: string;
  organizationId?: string;
}

export function createApp(options: AppOptions): Koa {
  const app = new Koa();
  const { extras, pages, tracing } = options;
  if (tracing) {
    const leftOut = pages ? [...extras, pages] : extras;
    const isLeftOut = (path: string) => leftOut.some(({ has }) => has(path));
    app.use(traceRequests({ tracing, isLeftOut }));
  }
  app.use(failuresAndHeaders(options));
  for (const extra of extras) app.use(readOnly(extra));
  if (pages) app.use((ctx, next) => (pages.has(ctx.path) ? pages.handle(ctx, next) : next()));
  app.use(dispatch(options));
  // failuresAndHeaders answers every error; Koa itself sees only sockets that closed early.
  app.silent = true;
  return app;
}

const readOnly =
  ({ has, handle }: ReadOnlyPaths): Middleware =>
  (ctx, next) => {
    if (!has(ctx.path)) return next();
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return handle(ctx, next);
    throw new AppError('method_not_allowed', 'This path takes GET, HEAD', {
      headers: { Allow: 'GET, HEAD' },
    });
  };

function failuresAndHeaders(options: AppOptions): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    const requestId = chooseRequestId(ctx.req.headers['request-id']);
    ctx.set(commonHeaders(requestId));
    let failure: unknown;
    try {
      await next();
    } catch (error) {
      failure = options.translateFault(error);
      const rendered = renderError(failure);
      ctx.status = rendered.status;
      ctx.set(rendered.headers);
      if (rendered.status === 413) {
        ctx.respond = false;
        void sendAndDrain(ctx.res, rendered.body);
      } else ctx.body = rendered.body;
    }
    const state = ctx.state as State;
    options.observe({
      requestId,
      operationId: state.operationId ?? 'none',
      method: ctx.method,
      address: addressOf(ctx.req, options.clientAddress),
      status: ctx.status,
      durationMs: performance.now() - startedAt,
      organizationId: state.organizationId,
      error: failure,
    });
  };
}

interface EndpointOptions extends AppOptions {
  budgetOf: ReturnType<typeof createBodyBudgets>;
  countUnread: CountUnread;
}

function endpoint(definition: Route, options: EndpointOptions): Middleware {
  const { budgetOf, countUnread } = options;
  const takesKey = takesIdempotencyKey(definition);
  const readsJson = definition.rawBody === undefined && definition.method !== 'GET';
  const { checkRole, prepare } = createOperation(definition, options.recordAudit);
  return async (ctx) => {
    const receivedAt = options.now();
    const state = ctx.state as State;
    state.operationId = definition.operationId;
    const { authorization } = ctx.req.headers;
    const address = limitedAs(addressOf(ctx.req, options.clientAddress));
    const caller = await options.authenticate(authorization, address, definition.auth, ctx.params.serial);
    state.organizationId = caller.organizationId;
    checkRole(caller);
    const { rawBody } = definition;
    if (rawBody && hasContent(ctx.req))
      requireMediaType(ctx.req, [rawBody.contentType, ...(rawBody.otherTypes ?? [])]);
    const hold = budgetOf(caller);
    const held = () => hold(caller.organizationId, (take) => respond(ctx, { caller, receivedAt, take }));
    return rawBody?.buffered ? rawBody.buffered.run(caller, held) : held();
  };

  async function respond(ctx: Context, { caller, receivedAt, take }: Admitted): Promise<void> {
    const { authorization } = ctx.req.headers;
    const json: JsonBody = readsJson
      ? await readJsonBody(ctx.req, take)
      : { value: undefined, bytes: await rawBytes(ctx.req, definition.rawBody, take) };
    requireReadable(ctx.querystring);
    const run = await prepare({
      caller,
      params: ctx.params,
      query: ctx.query,
      body: json.value,
      bytes: json.bytes,
      stream: ctx.req,
      url: ctx.url,
      isHead: ctx.method === 'HEAD',
      receivedAt,
      isAbandoned: () => !ctx.writable,
      header: (name) => ctx.get(name) || undefined,
    });

    const keyHeader = takesKey ? ctx.req.headers['idempotency-key'] : undefined;
    if (keyHeader === undefined) {
      const reply = await run(options.transactFor(caller.organizationId));
      const isStillValid = () => options.isStillValid(authorization);
      sendReply(ctx, definition, revocable(reply, isStillValid));
      if (definition.method === 'GET') countUnread(caller.organizationId, lengthOf(ctx.body), ctx.res);
      return;
    }
    const request = {
      organizationId: caller.organizationId,
      key: idempotencyKey(String(keyHeader)),
      fingerprint: fingerprintOf(
        ctx.method,
        ctx.url,
        json.bytes,
        definition.answersSecret ? caller.keyId : undefined,
      ),
    };
    const stored = await options.withIdempotency(request, run);
    if (stored.replayed) ctx.set('Idempotent-Replayed', 'true');
    // A stored refusal is an answer with an error body like any other.
    if (stored.status >= 400) ctx.set(helpLink(stored.status as ErrorStatus));
    sendText(ctx, definition, stored);
  }
}

/** Streams read as their client does. */
const lengthOf = (body: unknown): number =>
  typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;

interface Admitted {
  caller: Caller;
  receivedAt: Date;
  take: TakeBytes;
}

/** RFC 9112, section 6. */
const hasContent = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const PARAMETERS_MAX = 100;

/**
 * Checks a query before it is parsed: a parameter repeated thousands of times takes a second, and the parser replaces
 * bytes that are no UTF-8.
 */
function requireReadable(query: string): void {
  if (query.split('&', PARAMETERS_MAX + 1).length > PARAMETERS_MAX)
    throw invalid(`The query must have at most ${PARAMETERS_MAX} parameters`);
  if (query.includes('%') && !isEncodedUtf8(query)) throw invalid('The query must be text in UTF-8');
}

async function rawBytes(
  request: IncomingMessage,
  rawBody: RawBody | undefined,
  take: TakeBytes,
): Promise<Buffer> {
  return rawBody?.buffered ? readBytes(request, rawBody.maxBytes, take) : Buffer.alloc(0);
}

function dispatch(options: AppOptions): Middleware {
  const find = createFindRoute(options.routes, {
    noun: 'path',
    nothingThere: 'There is nothing at this path',
  });
  const budgetOf = createBodyBudgets();
  const countUnread = createAnswerBudget();
  const endpoints = new Map(
    options.routes.map((route) => [route, endpoint(route, { ...options, budgetOf, countUnread })]),
  );
  return (ctx, next) => {
    const { route, params } = find(ctx.method, ctx.path);
    ctx.params = params;
    return endpoints.get(route)?.(ctx, next);
  };
}
