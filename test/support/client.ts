/**
 * An HTTP client that validates every response against the OpenAPI document: an undeclared status or field, or a value of
 * the wrong type, fails the test that received it.
 */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Agent, request } from 'undici';
import { closedSchemas } from '../../dev/ledger/closed-schemas.ts';
import { documentedApi } from '../../src/compose/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; the schemas check them
export interface Answer<Body = any> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Body;
  text: string;
  bytes: Buffer;
}

export interface SendOptions {
  headers?: Record<string, string>;
  /** Sent unchanged, instead of JSON. */
  raw?: string | Buffer;
}

export interface Client {
  send(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  get(path: string, options?: SendOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  delete(path: string, options?: SendOptions): Promise<Answer>;
}

const agent = new Agent({ keepAliveTimeout: 1_000, pipelining: 1 });

export function createClient(baseUrl: string, token: string | null): Client {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    options: SendOptions = {},
  ): Promise<Answer> {
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await request(baseUrl + path, {
      method: method as 'GET',
      dispatcher: agent,
      body: payload,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const text = bytes.toString();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const answer = {
      status: response.statusCode,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      text,
      bytes,
    };
    if (method !== 'HEAD') checkDeclared(method, path, answer);
    return answer;
  }
  return {
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    delete: (path, options) => send('DELETE', path, undefined, options),
  };
}

interface Declared {
  pattern: RegExp;
  weight: number;
  operations: Record<string, { operationId: string; responses: Record<string, { content?: object }> }>;
  path: string;
}

const document = closedSchemas(documentedApi()) as { paths: Record<string, Declared['operations']> };
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addSchema(document, 'api');

const declared: Declared[] = Object.entries(document.paths)
  .map(([path, operations]) => ({
    path,
    operations,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    weight: path.split('{').length,
  }))
  .sort((a, b) => a.weight - b.weight);

function checkDeclared(method: string, url: string, answer: Answer): void {
  const path = url.split('?')[0] as string;
  const found = declared.find(
    ({ pattern, operations }) => pattern.test(path) && operations[method.toLowerCase()] !== undefined,
  );
  if (answer.status >= 400) checkError(answer);
  if (!found || answer.status === 405) return;
  const operation = found.operations[method.toLowerCase()] as Declared['operations'][string];
  const response = operation.responses[answer.status];
  assert.ok(
    response,
    `${operation.operationId} answered ${answer.status}, which is not declared: ${answer.text}`,
  );
  if (!response.content || !('application/json' in response.content)) return;
  const type = String(answer.headers['content-type']).split(';')[0] as string;
  if (type !== 'application/json' && type in response.content) return;
  const pointer = ['paths', found.path, method.toLowerCase(), 'responses', String(answer.status), 'content'];
  const validate = ajv.getSchema(
    `api#/${[...pointer, 'application/json', 'schema'].map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
  );
  assert.ok(validate, `no schema at ${pointer.join('/')}`);
  assert.ok(
    validate(answer.body),
    `${operation.operationId} ${answer.status}: ${ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 500)}`,
  );
}

/** Every error has the common error body, and links to the page that explains it. */
function checkError({ body, headers, status }: Answer): void {
  assert.match(
    String(headers.link),
    /^<\/docs\/errors#[a-z-]+>; rel="help"$/,
    `the header Link of a ${status}`,
  );
  assert.deepEqual(Object.keys(body ?? {}).sort(), ['message', 'success'], `the body of a ${status}`);
  assert.equal(body.success, false);
  assert.equal(typeof body.message, 'string');
}

/** All items of a list, page by page. The path has a query. */
export async function listAll({ get }: Pick<Client, 'get'>, path: string) {
  const found = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body, text }: Answer = await get(cursor === '' ? path : `${path}&cursor=${cursor}`);
    assert.equal(status, 200, text);
    found.push(...body.items);
    cursor = body.nextCursor;
  }
  return found;
}
