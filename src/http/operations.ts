/**
 * Calls operations within the process, for callers that are authenticated already. Role, shape, rules, audit
 * trail and the filter of the answer are the same as over HTTP.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transact } from '../db/transaction.ts';
import { AppError, conflict, notFound } from '../process/errors.ts';
import { memoized } from '../process/memoized.ts';
import type { RecordAudit } from './audit.ts';
import { requireRole } from './authenticate.ts';
import {
  fingerprintOf,
  idempotencyKey,
  STILL_RUNNING,
  type StoredAnswer,
  type WithIdempotency,
} from './idempotency.ts';
import { compileProjections } from './project-response.ts';
import type { Caller, Reply, Route } from './route.ts';
import { compileRequestSchema } from './validate.ts';
import { createAudit } from './with-audit.ts';

export interface OperationInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** A media type other than JSON. */
  accept?: string;
  /** The body of an operation with another format than JSON. */
  raw?: { bytes: Buffer; contentType: string };
  isAbandoned?(): boolean;
  /** Identifies a submitted form with its values: a second submission gets the first answer. */
  once?: string | undefined;
}

export type CallOperation = (caller: Caller, operationId: string, input?: OperationInput) => Promise<Reply>;

interface OperationsOptions {
  routes: readonly Route[];
  transactFor(organizationId: string): Transact;
  recordAudit: RecordAudit;
  now(): Date;
  /** Needed by callers that name forms. */
  withIdempotency?: WithIdempotency;
  pause?(ms: number): Promise<unknown>;
}

export function createOperations(options: OperationsOptions): CallOperation {
  const routes = new Map(options.routes.map((each) => [each.operationId, each]));
  /** Compiled on the first call, because a page calls few operations. */
  const operationOf = memoized(String, (id: string) => {
    const definition = routes.get(id);
    if (!definition) throw new Error(`There is no operation ${id} to call`);
    return createOperation(definition, options);
  });
  return async (caller, operationId, input = {}) => operationOf(operationId)(caller, input);
}

function createOperation(definition: Route, options: OperationsOptions) {
  const { transactFor, recordAudit, now, withIdempotency, pause = delay } = options;
  const checkRole = requireRole(definition);
  const shape = compileRequestSchema(definition);
  const withAudit = createAudit(definition, recordAudit);
  const project = createProjection(definition);
  return async (
    caller: Caller,
    { params = {}, query = {}, body, accept, raw, isAbandoned = () => false, once }: OperationInput,
  ): Promise<Reply> => {
    checkRole(caller);
    const headers: Record<string, string | undefined> = { accept, 'content-type': raw?.contentType };
    const bytes = raw?.bytes ?? Buffer.alloc(0);
    const request = {
      caller,
      query: shape.query(query, params),
      body: definition.parse ? await definition.parse(bytes, raw?.contentType) : shape.body(body),
      params: shape.params(params),
      url: definition.path,
      bytes,
      isHead: false,
      receivedAt: now(),
      isAbandoned,
      header: (name: string) => headers[name.toLowerCase()],
    };
    const handle = async (on: Transact) =>
      definition.handle({
        ...request,
        transact: on,
        get stream() {
          return toStream(request.bytes);
        },
      });
    const handled = (on: Transact) => withAudit({ caller, params: request.params }, on, handle);
    const run = async (on: Transact) =>
      project(await (definition.rawBody?.buffered?.run(caller, () => handled(on)) ?? handled(on)));
    // A body that is read piece by piece is in no transaction.
    const isWhole = definition.rawBody === undefined || definition.rawBody.buffered !== undefined;
    if (!once || !withIdempotency || definition.idempotent === false || !isWhole)
      return run(transactFor(caller.organizationId));
    const url = JSON.stringify([params, once]);
    const fingerprint = fingerprintOf(definition.operationId, url, request.bytes, caller.keyId);
    const key = idempotencyKey(fingerprint.toString('base64url'));
    const repeatable = { organizationId: caller.organizationId, key, fingerprint };
    return afterRunning(
      async () => fromStored(await withIdempotency(repeatable, async (on) => toStored(await run(on)))),
      pause,
    );
  };
}

const toStored = ({ status, body = null }: Reply): StoredAnswer => ({
  status,
  body: JSON.stringify(body),
  location: null,
});

/** @throws the refusal that is stored */
function fromStored({ status, body }: StoredAnswer): Reply {
  const content = JSON.parse(body);
  if (status < 400) return { status, body: content };
  throw status === 404 ? notFound(content.message) : conflict(content.message);
}

const PAUSE_MS = 100;
/** As long as a statement may take by default. */
const PAUSES_MAX = 600;

/** Waits for an earlier request with the same key without holding a connection. */
async function afterRunning<T>(run: () => Promise<T>, pause: (ms: number) => Promise<unknown>): Promise<T> {
  for (let pauses = 0; ; pauses++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof AppError) || error.message !== STILL_RUNNING || pauses === PAUSES_MAX)
        throw error;
      await pause(PAUSE_MS);
    }
  }
}

/** For an operation that reads its body piece by piece. */
const toStream = (bytes: Buffer): IncomingMessage =>
  Object.assign(Readable.from([bytes]), { headers: {} }) as unknown as IncomingMessage;

/** As over HTTP, an answer holds only fields that its schema names. Streams pass. */
function createProjection(definition: Route): (reply: Reply) => Reply {
  const projections = compileProjections(definition);
  return (reply) => {
    const project = projections.get(reply.status);
    const isPlain = reply.body !== null && typeof reply.body === 'object' && !('pipe' in reply.body);
    return project && isPlain ? { ...reply, body: project(reply.body) } : reply;
  };
}
