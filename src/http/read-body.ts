/** Reads a JSON body and checks its media type and size, how much it holds, and that PostgreSQL can store its text. */

import type { IncomingMessage } from 'node:http';
import { cutText } from '../process/cut-text.ts';
import { AppError, invalid } from '../process/errors.ts';
import { requireMediaType } from './media-type.ts';

const JSON_TYPES = ['application/json'];
export const BODY_BYTES_MAX = 1024 * 1024;
/** Parsing and validating cost by the value: twice the largest list of the API is plenty. */
const VALUES_MAX = 20_000;
const KEYS_PER_OBJECT_MAX = 100;
const DEPTH_MAX = 32;

export interface JsonBody {
  /** undefined when the request had no body. */
  value: unknown;
  bytes: Buffer;
}

export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes.length === 0) return { value: undefined, bytes };
  requireMediaType(request, JSON_TYPES);
  if (holdsTooMuch(bytes)) throw invalid(`The body must hold at most ${VALUES_MAX} values`);
  const value = parseJson(bytes);
  requireStorable(value, 'The body');
  return { value, bytes };
}

/** `name`: of the value as a whole. */
export function requireStorable(value: unknown, name: string): void {
  const path = findUnstorable(value, 0);
  if (path !== null) throw invalid(`${cutText(path, PATH_MAX) || name} ${UNSTORABLE}`);
}

/** By events: for a small body, an async iterator costs more than the reading. */
export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    requireSize(request, bytesMax);
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

/** Of what is announced; a chunked body is counted as it comes. */
export function requireSize({ headers }: IncomingMessage, bytesMax: number): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

export const tooLarge = (bytesMax: number) =>
  new AppError('too_large', `The body must be at most ${bytesMax} bytes`);

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];

/** By its commas outside of strings, before anything is parsed. A body that is no JSON is none for other reasons. */
function holdsTooMuch(bytes: Buffer): boolean {
  if (bytes.length <= VALUES_MAX) return false;
  let commas = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length && commas < VALUES_MAX; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString && byte === BACKSLASH) at++;
    else if (!isInString && byte === COMMA) commas++;
  }
  return commas === VALUES_MAX;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid('The body must be UTF-8');
  }
}

export function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
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
  return Array.isArray(value) ? findInList(value, depth) : findInObject(value, depth);
}

function findInList(items: unknown[], depth: number): string | null {
  for (let index = 0; index < items.length; index++) {
    const below = findUnstorable(items[index], depth + 1);
    if (below !== null) return pathTo(`[${index}]`, below);
  }
  return null;
}

function findInObject(value: object, depth: number): string | null {
  const keys = Object.keys(value);
  if (keys.length > KEYS_PER_OBJECT_MAX) {
    throw invalid(`An object in the body must have at most ${KEYS_PER_OBJECT_MAX} fields`);
  }
  for (const key of keys) {
    if (!isStorable(key)) throw invalid(`The name of a field ${UNSTORABLE}`);
    // Joi drops this one key silently where it reports every other unknown one.
    if (key === '__proto__') throw invalid('__proto__ is not allowed');
    const below = findUnstorable((value as Record<string, unknown>)[key], depth + 1);
    if (below !== null) return pathTo(key, below);
  }
  return null;
}

const pathTo = (step: string, below: string): string =>
  below === '' || below.startsWith('[') ? step + below : `${step}.${below}`;
