/** Header fields by their grammar, as client and service read them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  parseHttpDate,
  parseMediaType,
  parseRetryAfter,
  RETRY_AFTER_MAX_MS,
} from '../../client/src/http-fields.ts';

const NOW = new Date('2026-03-02T08:00:00.000Z');
const DATE = new Date('1994-11-06T08:49:37.000Z');
const DATES = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];

describe('Retry-After', () => {
  it('reads Retry-After as seconds, at most a day', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 400n }), (seconds) => {
        const expected = seconds > 86_400n ? RETRY_AFTER_MAX_MS : Number(seconds) * 1_000;
        assert.equal(parseRetryAfter(String(seconds), NOW), expected);
      }),
    );
  });

  it('reads Retry-After as a date, at most a day ahead, without a wait once it has passed', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (seconds) => {
        const date = new Date(NOW.getTime() + seconds * 1_000).toUTCString();
        const expected = Math.min(Math.max(seconds * 1_000, 0), RETRY_AFTER_MAX_MS);
        assert.equal(parseRetryAfter(date, NOW), expected);
      }),
    );
  });

  it('accepts blanks and tabs around Retry-After', () => {
    assert.equal(parseRetryAfter(' \t40\t ', NOW), 40_000);
  });

  it('ignores any other Retry-After', () => {
    const numbers = [
      '-40',
      '40.5',
      '"40"',
      '40;',
      '+40',
      '0x10',
      '1e3',
      '٣',
      '40 s',
      '40, 50',
      '\u00a040',
      '40\u000b',
      '\ufeff40',
    ];
    const dates = ['2026-03-03', '2026-03-03T08:00:00Z', 'Tue, 03 Mar 2026 08:00:00 +0100', 'March 3'];
    for (const text of [undefined, null, '', 'soon', 'NaN', ...numbers, ...dates])
      assert.equal(parseRetryAfter(text, NOW), null, String(text));
  });
});

describe('A date of HTTP', () => {
  it('accepts a date in three forms, all in GMT, in any time zone of the process', () => {
    for (const text of DATES) assert.deepEqual(parseHttpDate(text, NOW), DATE, text);
  });

  it('reads two digits of a year as at most 50 years ahead', () => {
    const yearOf = (digits: string) =>
      parseHttpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`, NOW)?.getUTCFullYear();
    assert.deepEqual(['00', '26', '76', '77', '99'].map(yearOf), [2000, 2026, 2076, 1977, 1999]);
  });

  it('refuses a date in any other form, and a day or a time that does not exist', () => {
    for (const text of [
      'Sun, 6 Nov 1994 08:49:37 GMT',
      'Sun, 06 Nov 1994 08:49:37 UTC',
      'sun, 06 nov 1994 08:49:37 gmt',
      'Sun, 31 Nov 1994 08:49:37 GMT',
      'Sun, 00 Nov 1994 08:49:37 GMT',
      'Sun, 06 Nov 1994 24:00:00 GMT',
      'Sun, 06 Nov 1994 08:49:37 GMT ',
      'Sun Nov  6 08:49:37 1994 GMT',
      '40',
    ])
      assert.equal(parseHttpDate(text, NOW), null, text);
  });
});

describe('A media type', () => {
  it('returns a media type in lower case, and its parameters unchanged', () => {
    assert.deepEqual(parseMediaType('Text/CSV;Header=present ; charset="UTF\\-8";;note="a;b=c"'), {
      type: 'text/csv',
      parameters: [
        ['header', 'present'],
        ['charset', 'UTF-8'],
        ['note', 'a;b=c'],
      ],
    });
    assert.deepEqual(parseMediaType('*/*'), { type: '*/*', parameters: [] });
  });

  it('refuses a media type in any other form', () => {
    for (const text of [
      undefined,
      '',
      'json',
      'a/',
      '/b',
      'a/b c',
      'a/b;c',
      'a/b;c=',
      'a/b;c = d',
      'a/b;c="d',
      'a/b,c/d',
      '\u00a0a/b',
      'a/b\u3000',
    ])
      assert.equal(parseMediaType(text), null, String(text));
  });
});
