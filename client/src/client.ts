/** A function for each operation of the service, by its operation id. */
import { ApiError, toApiError } from './api-error.ts';
import { ConnectionError } from './connection-error.ts';
import { OPERATIONS } from './generated/operations.ts';
import { parseMediaType } from './http-fields.ts';
import type { Arguments, OperationId, Result } from './operation-types.ts';
import { type RequestOptions, type RequestParts, toRequest } from './request.ts';
import { isLost, isRunning, RETRY_POLICY, type RetryPolicy, retryInMs } from './retry.ts';
import { sleep, TIMER_MS_MAX } from './sleep.ts';

export interface ClientOptions {
  /** URL of the service, for example `https://loggers.example.com`. */
  baseUrl: string;
  /** A customer key, or a device token for the operations of devices. */
  apiKey: string;
  retry?: Partial<RetryPolicy>;
  /** Time limit of one attempt; for a streamed answer, until it begins. Default: 30 s. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions extends RequestOptions {
  /** Aborts the call, and the waits between its attempts. */
  signal?: AbortSignal;
  /** Time limit of one attempt, in place of that of the client. */
  timeoutMs?: number;
}

/** The second parameter is optional if the operation needs none. */
type Call<Id extends OperationId, Returned> =
  Record<never, never> extends Arguments<Id>
    ? (given?: Arguments<Id>, options?: CallOptions) => Promise<Returned>
    : (given: Arguments<Id>, options?: CallOptions) => Promise<Returned>;

export type Client = { readonly [Id in OperationId]: Call<Id, Result<Id>> } & {
  /** The successful response itself, for streamed answers such as CSV. */
  send<Id extends OperationId>(id: Id, given: Arguments<Id>, options?: CallOptions): Promise<Response>;
};

const TIMEOUT_MS = 30_000;

/**
 * Calls return the JSON of the service, or throw an `ApiError` with its message; without a complete answer,
 * they throw a `ConnectionError`. Refusals for overload, and lost or cut-off answers of calls that are safe
 * to repeat, are retried first; a deletion that then finds nothing is done. A request that cannot be sent,
 * because of its key or a header, is a `TypeError`.
 */
export function createClient(options: ClientOptions): Client {
  const { fetch = globalThis.fetch, timeoutMs: limitMs = TIMEOUT_MS } = options;
  const policy = { ...RETRY_POLICY, ...options.retry };

  /** The time limit ends with `read`, so that a response that it returns may be read for longer. */
  async function attempt<Answer>(
    { url, init }: RequestParts,
    { signal, timeoutMs = limitMs }: CallOptions,
    read: Read<Answer>,
  ): Promise<Outcome<Answer>> {
    const limit = new AbortController();
    const timer = setTimeout(
      () => limit.abort(new Error(`no answer within ${timeoutMs} ms`)),
      Math.min(timeoutMs, TIMER_MS_MAX),
    );
    const either = AbortSignal.any([limit.signal, ...(signal ? [signal] : [])]);
    try {
      return await outcomeOf(url, fetch(url, { ...init, signal: either }), read);
    } finally {
      clearTimeout(timer);
    }
  }

  async function send<Answer>(
    id: OperationId,
    given: Record<string, unknown>,
    call: CallOptions,
    read: Read<Answer>,
  ): Promise<Answer> {
    const parts = toRequest(options, id, given, call);
    let [failures, waits] = [0, 0];
    let mayBeDone = false;
    for (;;) {
      const outcome = await attempt(parts, call, read);
      if ('answer' in outcome) return outcome.answer;
      call.signal?.throwIfAborted();
      const { status = null, retryAfterMs = null } = outcome.error as Partial<ApiError>;
      if (status === 404 && parts.isDeletion && mayBeDone) return read(new Response(null, { status: 204 }));
      mayBeDone ||= isLost(status);
      const failure = { status, retryAfterMs, isRepeatable: parts.isRepeatable };
      const waitMs = retryInMs(failure, isRunning(failure) ? ++waits : ++failures, policy);
      if (waitMs === null) throw outcome.error;
      await sleep(waitMs, call.signal);
    }
  }

  const calls = Object.keys(OPERATIONS).map((id) => [
    id,
    async (given: Record<string, unknown> = {}, call: CallOptions = {}) =>
      send(id as OperationId, given, call, toResult),
  ]);
  return {
    ...Object.fromEntries(calls),
    send: (id: OperationId, given: Record<string, unknown>, call: CallOptions = {}) =>
      send(id, given, call, (response) => response),
  };
}

type Read<Answer> = (response: Response) => Answer | Promise<Answer>;

type Outcome<Answer> = { answer: Answer } | { error: ApiError | ConnectionError };

async function outcomeOf<Answer>(
  url: string,
  pending: Promise<Response>,
  read: Read<Answer>,
): Promise<Outcome<Answer>> {
  try {
    const response = await pending;
    return response.ok ? { answer: await read(response) } : { error: await toApiError(response) };
  } catch (error) {
    return { error: error instanceof ApiError ? error : new ConnectionError(url, error) };
  }
}

async function toResult(response: Response): Promise<unknown> {
  if (response.status === 204) return null;
  const mediaType = parseMediaType(response.headers.get('content-type'));
  if (mediaType?.type !== 'application/json') return response;
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('The answer is no JSON', response.status, response.headers.get('request-id'), null);
  }
}
