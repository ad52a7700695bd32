/** Media types of requests with content. */
import type { IncomingMessage } from 'node:http';
import { parseMediaType } from '../../client/src/http-fields.ts';
import { AppError } from '../process/errors.ts';

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
