/** Reads a JSON body and checks its media type, size, encoding and depth, and that PostgreSQL can store its text. */
import type { IncomingMessage } from 'node:http';
import { AppError, invalid } from '../process/errors.ts';

export const BODY_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 32;

export interface JsonBody {
  /** undefined when the request had no body. */
  value: unknown;
  bytes: Buffer;
}

export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const type = request.headers['content-type'];
  if (type !== undefined) requireJson(type);
  refuseEncoding(request);
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes.length === 0) return { value: undefined, bytes };
  if (type === undefined) throw wrongType();
  const value = parse(bytes);
  const path = findUnstorable(value, 0);
  if (path !== null) throw invalid(`${path.slice(0, PATH_MAX) || 'The body'} ${UNSTORABLE}`);
  return { value, bytes };
}

/** By events: for a small body, an async iterator costs more than the reading. */
export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
      reject(tooLarge(bytesMax));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let isWhole = false;
    function collect(chunk: Buffer): void {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= bytesMax) return;
      request.off('data', collect).pause();
      reject(tooLarge(bytesMax));
    }
    function onAborted(): void {
      if (!isWhole) reject(invalid('The body ended before it was complete'));
    }
    request.on('data', collect).on('error', onAborted).on('close', onAborted);
    request.on('end', () => {
      isWhole = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
  });
}

/** Text that PostgreSQL cannot store: NUL characters and lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

function requireJson(type: string): void {
  if (!JSON_TYPE.test(type)) throw wrongType();
}

const wrongType = () =>
  new AppError('unsupported_media_type', 'Content-Type must be application/json, in UTF-8');

export function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new AppError(
    'unsupported_media_type',
    'Content-Encoding must be identity: send the body uncompressed',
  );
}

const tooLarge = (bytesMax: number) =>
  new AppError('too_large', `The body must be at most ${bytesMax} bytes`, {
    headers: { Connection: 'close' },
  });

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalid('The body must be UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body must be JSON');
  }
}

const UNSTORABLE = 'must hold no NUL character and no half of a surrogate pair';
const PATH_MAX = 200;

/** The path of the first text that cannot be stored, such as `a[0].b`; null when there is none. */
function findUnstorable(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : '';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === DEPTH_MAX) throw invalid(`The body must be nested at most ${DEPTH_MAX} levels deep`);
  for (const key of Object.keys(value)) {
    if (!isStorable(key)) throw invalid(`The name of a field ${UNSTORABLE}`);
    // Joi drops this one key silently where it reports every other unknown one.
    if (key === '__proto__') throw invalid('__proto__ is not allowed');
    const below = findUnstorable((value as Record<string, unknown>)[key], depth + 1);
    if (below === null) continue;
    const step = Array.isArray(value) ? `[${key}]` : key;
    return below === '' || below.startsWith('[') ? step + below : `${step}.${below}`;
  }
  return null;
}
