/** Bodies, queries and paths that every route has to refuse. */
import { randomUUID } from 'node:crypto';
import type { Route } from '../../src/http/route.ts';

const KIBIBYTE = 1024;
export const LONE_SURROGATE = '\ud800';

/** Of the right media type, but not JSON objects in UTF-8. */
export const UNREADABLE: Array<string | Buffer> = [
  ...[[], [{}], 'text', 1, true, null].map((value) => JSON.stringify(value)),
  ...['{', '}', '{"a":}', '{"a":1,}', "{'a':1}", 'NaN', '[1', '"', '{"a":01}', '{} {}', 'a=1', '\u0000'],
  ...[[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf]].map((bytes) =>
    Buffer.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')]),
  ),
];

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
export const TOO_DEEP = [
  nested(33),
  nested(5_000),
  nested(200_000),
  `{"name":${nested(5_000)}}`,
  '{"name":'.repeat(5_000) + 1 + '}'.repeat(5_000),
];
/** The object, and 31 lists in it. */
export const AS_DEEP_AS_ALLOWED = `{"surprise":${nested(31)}}`;

export const BAD_TYPES = [
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ],
  ...['application/json-patch+json', 'application/jsonx', 'text/json', 'json', '*/*', ''],
  ...['iso-8859-1', 'utf-16', 'utf-7', '"latin1"', ''].map(
    (charset) => `application/json; charset=${charset}`,
  ),
];
export const BAD_ENCODINGS = ['gzip', 'br', 'deflate', 'gzip, identity'];

/** Values of one path parameter. */
export const BAD_NAMES = [
  ...[
    '%00',
    'a%00b',
    '%2F',
    '..%2F..%2Fassets',
    '%2e%2e%2f',
    '%zz',
    '%',
    '%c3',
    '%ff%fe',
    '%ED%A0%80',
    '%20',
  ],
  ...['%0d%0aX-Injected:1', '__proto__', 'constructor', 'toString', 'null', 'undefined', '0', '-1', '*'],
  ...['%27%20or%201=1--', '%F0%9F%8C%A1', 'x'.repeat(8 * KIBIBYTE)],
];

export const keysOf = ({ query: schema }: Route): string[] =>
  Object.keys((schema?.describe() as { keys?: object } | undefined)?.keys ?? {});

const BAD_LIMITS = [
  ...[
    '0',
    '-1',
    '501',
    '1.5',
    'ten',
    'null',
    'true',
    'NaN',
    'Infinity',
    '0x10',
    '1e2',
    '10.0',
    '%2B10',
    '%2010',
  ],
  ...['1e999', '9'.repeat(400), '9007199254740993', '1,2', '1;2', '%EF%BC%91', '--1'],
];
const BAD_CURSORS = ['1', 'abc', '-', `${randomUUID()}x`, '{}', '%27', randomUUID().replaceAll('-', '')];
const BAD_WORDS = ['nonsense', 'ACTIVE', '1', 'null', '__proto__'];

/** Queries that every route has to refuse, by the title of the guarantee. */
export const BAD_QUERIES: Record<string, (keys: string[]) => string[]> = {
  'unknown query parameters': () => [
    ...['surprise=1', 'surprise', '=1', 'Limit=1', 'limit%5B%5D=1', '%zz=1', '%F0%9F%8C%A1=1'],
    ...['__proto__=1', '__proto__%5Bx%5D=1', 'constructor=1', 'prototype=1', 'toString=1', '__proto__'],
  ],
  'repeated query parameters': (keys) => keys.map((key) => `${key}=1&${key}=1`),
  'query parameters without a value': (keys) => keys.flatMap((key) => [key, `${key}=`]),
  'a query with a NUL character': (keys) =>
    ['surprise', ...keys].flatMap((key) => [`${key}=%00`, `${key}=1%00`, `%00${key}=1`]),
  'a limit that is no whole number from 1 to 500': (keys) =>
    keys.includes('limit') ? BAD_LIMITS.map((text) => `limit=${text}`) : [],
  'a cursor that no list has given out': (keys) =>
    keys.includes('cursor') ? BAD_CURSORS.map((text) => `cursor=${text}`) : [],
  'a range that ends before it begins': (keys) =>
    keys.includes('from')
      ? [`from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z${keys.includes('all') ? '&all=true' : ''}`]
      : [],
  'values that an enumeration does not list': (keys) =>
    keys
      .filter((key) => ['status', 'state', 'dryRun'].includes(key))
      .flatMap((key) => BAD_WORDS.map((word) => `${key}=${word}`)),
};
