/**
 * Reads the content of a request. Checks its media type and size, the number of values of JSON, and that PostgreSQL can
 * store its text.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseMediaType } from '../../client/src/http-fields.ts';
import { createCounts } from '../process/counts.ts';
import { cutText } from '../process/cut-text.ts';
import { AppError, invalid, rateLimited } from '../process/errors.ts';
import type { Caller } from './route.ts';

const JSON_TYPES = ['application/json'];
export const BODY_BYTES_MAX = 1024 * 1024;
/**
 * The cost of parsing and validating grows with the number of values. Twice the largest list of the API is
 * plenty.
 */
const VALUES_MAX = 20_000;
const KEYS_PER_OBJECT_MAX = 100;
const DEPTH_MAX = 32;

export interface JsonBody {
  /** Undefined when the request had no body. */
  value: unknown;
  bytes: Buffer;
}

export async function readJsonBody(request: IncomingMessage, take: TakeBytes): Promise<JsonBody> {
  const bytes = await readBytes(request, BODY_BYTES_MAX, take);
  if (bytes.length === 0) return { value: undefined, bytes };
  requireMediaType(request, JSON_TYPES);
  requireParsable(bytes);
  const value = parseJson(bytes);
  requireStorable(value, 'The body');
  return { value, bytes };
}

/** `name` names the value as a whole. */
export function requireStorable(value: unknown, name: string): void {
  const path = findUnstorable(value, 0);
  if (path !== null) throw invalid(`${cutText(path, PATH_MAX) || name} ${UNSTORABLE}`);
}

/** @throws rate_limited */
export type TakeBytes = (bytes: number) => void;

/** Runs the work; what it has taken is held until it ends. */
export type HoldBytes = <T>(owner: string, work: (take: TakeBytes) => Promise<T>) => Promise<T>;

const HELD_BYTES_MAX = 64 * 1024 * 1024;
const HELD_BYTES_MAX_OF_DEVICE = 4 * 1024 * 1024;
/** Memory of a piece beside its bytes: a body may come in pieces of one byte. */
const PIECE_BYTES = 512;

/** A budget for the bodies that one owner has in this process at once, from their first byte to the answer. */
export function createBodyBudget(bytesMax = HELD_BYTES_MAX): HoldBytes {
  const held = createCounts();
  return async (owner, work) => {
    let taken = 0;
    try {
      return await work((bytes) => {
        const more = bytes + PIECE_BYTES;
        if (held.of(owner) + more > bytesMax) throw tooManyBytes();
        held.add(owner, more);
        taken += more;
      });
    } finally {
      held.add(owner, -taken);
    }
  };
}

/** Budgets of customers, of devices, and of each token that is valid for one device: none takes those of the others. */
export function createBodyBudgets(): (caller: Caller) => HoldBytes {
  const [ofCustomers, ofDevices] = [createBodyBudget(), createBodyBudget()];
  const ofOneDevice = createBodyBudget(HELD_BYTES_MAX_OF_DEVICE);
  return ({ kind, serialKey }) => {
    if (kind !== 'device') return ofCustomers;
    if (serialKey === null) return ofDevices;
    return (owner, work) =>
      ofDevices(owner, (take) =>
        ofOneDevice(`${owner} ${serialKey}`, (takeOwn) =>
          work((bytes) => {
            takeOwn(bytes);
            take(bytes);
          }),
        ),
      );
  };
}

const tooManyBytes = () =>
  rateLimited('Too many bytes are being received: wait until requests have ended', 5);

/** Uses events, because an async iterator costs more than reading a small body. */
export function readBytes(request: IncomingMessage, bytesMax: number, take: TakeBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    requireSize(request, bytesMax);
    const chunks: Buffer[] = [];
    let size = 0;
    let isWhole = false;
    function collect(chunk: Buffer): void {
      size += chunk.length;
      try {
        if (size <= bytesMax) take(chunk.length);
      } catch (error) {
        // The rest is read and dropped, so that the connection can be used again.
        request.off('data', collect).resume();
        chunks.length = 0;
        reject(error);
        return;
      }
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

/** Checks the declared size; the size of a chunked body is counted while reading. */
export function requireSize({ headers }: IncomingMessage, bytesMax: number): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

export const tooLarge = (bytesMax: number) =>
  new AppError('too_large', `The body must be at most ${bytesMax} bytes`);

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts values, levels and fields outside of strings before parsing, because scanning bytes takes a tenth of
 * the time. A body that is not JSON fails later.
 */
function requireParsable(bytes: Buffer): void {
  if (bytes.length <= VALUES_MAX) return;
  const fields = [0];
  let commas = 0;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) {
      if (++commas === VALUES_MAX) throw invalid(`The body must hold at most ${VALUES_MAX} values`);
    } else if (byte === COLON) {
      fields[depth] = (fields[depth] ?? 0) + 1;
      if ((fields[depth] as number) > KEYS_PER_OBJECT_MAX) throw tooManyFields();
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++depth > DEPTH_MAX) throw tooDeep();
      fields[depth] = 0;
    } else if ((byte === CLOSING_BRACKET || byte === CLOSING_BRACE) && depth > 0) depth -= 1;
  }
}

const tooDeep = () => invalid(`The body must be nested at most ${DEPTH_MAX} levels deep`);
const tooManyFields = () => invalid(`An object in the body must have at most ${KEYS_PER_OBJECT_MAX} fields`);

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid('The body must be UTF-8');
  }
}

function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body must be JSON');
  }
}

const UNSTORABLE = 'must hold no NUL character and no half of a surrogate pair';
const PATH_MAX = 200;

/** Path of the first text that cannot be stored, for example `a[0].b`; null when there is none. */
function findUnstorable(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : '';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === DEPTH_MAX) throw tooDeep();
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
  if (keys.length > KEYS_PER_OBJECT_MAX) throw tooManyFields();
  for (const key of keys) {
    if (!isStorable(key)) throw invalid(`The name of a field ${UNSTORABLE}`);
    // Joi silently drops this key, while it reports every other unknown one.
    if (key === '__proto__') throw invalid('__proto__ is not allowed');
    const below = findUnstorable((value as Record<string, unknown>)[key], depth + 1);
    if (below !== null) return pathTo(key, below);
  }
  return null;
}

const pathTo = (step: string, below: string): string =>
  below === '' || below.startsWith('[') ? step + below : `${step}.${below}`;

const DRAINED_BYTES_MAX = 64 * 1024 * 1024;
const DRAIN_MS = 5_000;

/**
 * Answers a request whose body is not wanted. Many clients send a whole body before they read: if the
 * connection is closed earlier, it is reset, and the answer lost. So the body is read and dropped for a
 * while.
 * Status and headers are already set. The whole answer is sent at once; the connection is closed when the body ends.
 */
export async function sendAndDrain(response: ServerResponse, body: object): Promise<void> {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Connection', 'close');
  response.write(text);
  await drained(response.req);
  response.end();
}

function drained(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) {
      resolve();
      return;
    }
    let bytes = 0;
    const timer = setTimeout(end, DRAIN_MS);
    function end(): void {
      clearTimeout(timer);
      request.off('data', count);
      resolve();
    }
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > DRAINED_BYTES_MAX) end();
    }
    request.on('data', count).once('end', end).once('error', end).once('close', end).resume();
  });
}

const LENGTH_MAX = 256;
/** Names of UTF-8 that clients use: https://encoding.spec.whatwg.org/#names-and-labels */
const UTF8 = ['utf-8', 'utf8'];

/**
 * Requires one of the media types, uncompressed. Text is read as UTF-8, so no other charset may be declared;
 * any other parameter is ignored.
 */
export function requireMediaType({ headers }: IncomingMessage, expected: readonly string[]): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported('Content-Encoding must be identity: send the body uncompressed');
  const header = headers['content-type'];
  if (expected.some((type) => type === header)) return;
  const { type, parameters } = parse(header) ?? { type: '', parameters: [] };
  if (!expected.includes(type)) throw unsupported(`Content-Type must be ${expected.join(' or ')}`);
  if (parameters.some(([name, value]) => name === 'charset' && !UTF8.includes(value.toLowerCase())))
    throw unsupported(`Content-Type must be ${expected.join(' or ')}, in UTF-8`);
}

/** Without parameters; empty when there is none. */
export const mediaType = (header: string | undefined): string => parse(header)?.type ?? '';

const parse = (header = '') => (header.length > LENGTH_MAX ? null : parseMediaType(header));

const unsupported = (message: string) => new AppError('unsupported_media_type', message);
