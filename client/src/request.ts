/** The request of an operation: its URL, headers and body. */
import { OPERATIONS } from './generated/operations.ts';
import { parseMediaType } from './http-fields.ts';
import type { FileBody, OperationId } from './operation-types.ts';

export interface Operation {
  method: string;
  /** With `{names}`. */
  path: string;
  query: readonly string[];
  /** The media type of the body; null without a body. */
  body: string | null;
  takesIdempotencyKey: boolean;
}

export interface RequestParts {
  url: string;
  init: RequestInit;
  isRepeatable: boolean;
  /** A repeat finds nothing where the first attempt has done its work. */
  isDeletion: boolean;
}

export interface RequestOptions {
  /**
   * Generated for each call of an operation that accepts it; set it to repeat a call of an earlier process.
   */
  idempotencyKey?: string | undefined;
  /** Further headers, such as `Accept: text/csv`, or the Content-Type of a body that is text or bytes. */
  headers?: Record<string, string> | undefined;
}

export function toRequest(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  id: OperationId,
  given: Record<string, unknown>,
  { idempotencyKey, headers = {} }: RequestOptions,
): RequestParts {
  const operation: Operation = OPERATIONS[id];
  const { body, ...values } = given;
  const key = operation.takesIdempotencyKey ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
  const sent = new Headers({
    Authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && operation.body !== null && { 'Content-Type': operation.body }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  });
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  const url = baseUrl.replace(/\/+$/, '') + pathOf(operation, values) + queryOf(operation, values);
  const init: RequestInit = {
    method: operation.method,
    headers: Object.fromEntries(sent),
    body: toBody(sent.get('Content-Type'), body),
    // Answers of other hosts do not come from the service.
    redirect: 'manual',
  };
  // Throws for a request that cannot be sent, because fetch would report it like a lost answer.
  new Request(url, init);
  return {
    url,
    init,
    isRepeatable: operation.method !== 'POST' || key !== undefined,
    isDeletion: operation.method === 'DELETE' && key === undefined,
  };
}

function pathOf({ path }: Operation, values: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
    return encodeURIComponent(value);
  });
}

function queryOf({ query }: Operation, values: Record<string, unknown>): string {
  const given = query.filter((name) => values[name] !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map((name): [string, string] => [name, String(values[name])]))}`;
}

function toBody(contentType: string | null, body: unknown): RequestInit['body'] {
  if (body === undefined || contentType === null) return null;
  const isJson = parseMediaType(contentType)?.type === 'application/json';
  return isJson && !isFile(body) ? JSON.stringify(body) : (body as RequestInit['body']);
}

const isFile = (body: unknown): body is FileBody =>
  typeof body === 'string' || [Blob, ArrayBuffer, Uint8Array].some((kind) => body instanceof kind);
