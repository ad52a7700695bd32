/** Media types of requests. Headers are cut to a length first, and read part by part: no pattern runs over them. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../process/errors.ts';

const LENGTH_MAX = 256;

/** JSON in UTF-8. `undefined` passes: a request without a body needs no media type. */
export function requireJsonType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type !== undefined && !isJson(type)) throw notJson();
  refuseEncoding(request);
}

export const notJson = () =>
  new AppError('unsupported_media_type', 'Content-Type must be application/json, in UTF-8');

/** One of the media types. A text is read as UTF-8, so no other charset may be declared. */
export function requireMediaType(request: IncomingMessage, expected: readonly string[]): void {
  refuseEncoding(request);
  const [type = '', ...parameters] = partsOf(request.headers['content-type'] ?? '');
  if (!expected.includes(type)) {
    throw new AppError('unsupported_media_type', `Content-Type must be ${expected.join(' or ')}`);
  }
  if (!parameters.every((each) => !isCharset(each) || isUtf8(each))) {
    throw new AppError('unsupported_media_type', `Content-Type must be ${expected.join(' or ')}, in UTF-8`);
  }
}

/** Without parameters; empty when there is none. */
export const mediaType = (header: string | undefined): string => partsOf(header ?? '')[0] ?? '';

function isJson(header: string): boolean {
  if (header === 'application/json') return true;
  const [type, ...parameters] = partsOf(header);
  return type === 'application/json' && parameters.every((each) => each === '' || isUtf8(each));
}

const partsOf = (header: string): string[] =>
  header.length > LENGTH_MAX ? [] : header.split(';').map((part) => part.trim().toLowerCase());

const isCharset = (parameter: string): boolean => parameter.split('=')[0]?.trim() === 'charset';

function isUtf8(parameter: string): boolean {
  const [name, value] = parameter.split('=').map((part) => part.trim());
  return name === 'charset' && (value === 'utf-8' || value === '"utf-8"');
}

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new AppError(
    'unsupported_media_type',
    'Content-Encoding must be identity: send the body uncompressed',
  );
}
