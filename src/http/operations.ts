/**
 * Operations of the API. `createOperation` has the steps that are the same over HTTP and within the process.
 * `createOperations` calls operations within the process, for callers that are authenticated already.
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
import { compileReplyProjection } from './project-response.ts';
import type { Caller, Reply, Route, RouteRequest } from './route.ts';
import { compileRequestSchema } from './validate.ts';
import { createAudit } from './with-audit.ts';

/** A request whose shape is not checked yet. */
type UncheckedRequest = Omit<
  RouteRequest<Record<string, string>, Record<string, unknown>, unknown>,
  'transact'
>;

/** Role, shape, handler, row of the audit trail and filter of the reply. Who calls it reads the body. */
export function createOperation(definition: Route, recordAudit: RecordAudit) {
  const shape = compileRequestSchema(definition);
  const withAudit = createAudit(definition, recordAudit);
  const project = compileReplyProjection(definition);
  return {
    checkRole: requireRole(definition),
    /**
     * Checks the shape of a request, and returns a function that handles it.
     * @throws invalid, or not found for malformed path parameters
     */
    async prepare(request: UncheckedRequest): Promise<(transact: Transact) => Promise<Reply>> {
      const query = shape.query(request.query, request.params);
      const body = definition.parse
        ? await definition.parse(request.bytes, request.header('content-type'))
        : shape.body(request.body);
      const params = shape.params(request.params);
      const handle = async (transact: Transact) =>
        definition.handle({ ...request, query, body, params, transact });
      return async (transact) =>
        project(await withAudit({ caller: request.caller, params }, transact, handle));
    },
  };
}

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

/** Calls an operation within the process. */
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
  const callOf = memoized(String, (id: string) => {
    const definition = routes.get(id);
    if (!definition) throw new Error(`There is no operation ${id} to call`);
    return createCall(definition, options);
  });
  return async (caller, operationId, input = {}) => callOf(operationId)(caller, input);
}

function createCall(definition: Route, options: OperationsOptions) {
  const { transactFor, recordAudit, now, withIdempotency, pause = delay } = options;
  const { checkRole, prepare } = createOperation(definition, recordAudit);
  const limit = definition.rawBody?.buffered;
  // A body that is read piece by piece is in no transaction.
  const isWhole = definition.rawBody === undefined || limit !== undefined;
  return async (
    caller: Caller,
    { params = {}, query = {}, body, accept, raw, isAbandoned = () => false, once }: OperationInput,
  ): Promise<Reply> => {
    checkRole(caller);
    const headers: Record<string, string | undefined> = { accept, 'content-type': raw?.contentType };
    const bytes = raw?.bytes ?? Buffer.alloc(0);
    const handle = await prepare({
      caller,
      params,
      query,
      body,
      bytes,
      stream: toStream(bytes),
      url: definition.path,
      isHead: false,
      receivedAt: now(),
      isAbandoned,
      header: (name) => headers[name.toLowerCase()],
    });
    const run = (on: Transact) => limit?.run(caller, () => handle(on)) ?? handle(on);
    if (!once || !withIdempotency || definition.idempotent === false || !isWhole)
      return run(transactFor(caller.organizationId));
    const url = JSON.stringify([params, once]);
    const fingerprint = fingerprintOf(definition.operationId, url, bytes, caller.keyId);
    const key = idempotencyKey(fingerprint.toString('base64url'));
    const repeatable = { organizationId: caller.organizationId, key, fingerprint };
    // JSON also of an answer without a body.
    const stored = async (on: Transact) => {
      const reply = await run(on);
      return { ...reply, body: reply.body ?? null };
    };
    return afterRunning(async () => fromStored(await withIdempotency(repeatable, stored)), pause);
  };
}

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
