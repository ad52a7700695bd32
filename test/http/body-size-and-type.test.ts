/** Bodies that are too large, of another media type, or cut off, over every operation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { BODY_BYTES_MAX } from '../../src/http/read-body.ts';
import { untilJobsStarted } from '../support/database-contents.ts';
import { call, exampleBody, forEvery } from '../support/operations.ts';
import { exchange, sendBeforeReading } from '../support/raw-socket.ts';
import { assertError, raw, useBadInput } from './harness.ts';

describe('Bodies that cannot be read', () => {
  const input = useBadInput();
  const { refused, unchanged, head, sendChunked, padded } = input;

  describe('the size of a body', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

    it('accepts 32 levels of nesting and answers 400 to more', async () => {
      await refused(input.jsonRoutes, 400, () => [
        raw('33 levels', nested(33)),
        raw('5,000 levels', nested(5_000)),
        raw('200,000 levels', nested(200_000)),
        raw('5,000 levels in a field', `{"name":${nested(5_000)}}`),
        raw('5,000 levels of objects', '{"name":'.repeat(5_000) + 1 + '}'.repeat(5_000)),
      ]);
    });

    it('accepts a body of 1 MiB', async () => {
      input.spoil();
      await forEvery(input.bodyRoutes, async (route) => {
        const { status, text } = await call(
          input.org,
          route,
          input.fixtures,
          raw('1 MiB', padded(route, BODY_BYTES_MAX)),
        );
        assert.ok(status < 300 || status === 404 || status === 409, `${status} ${text}`);
      });
      await untilJobsStarted(input.dms.service.sql);
    });

    it('lets a client read 413 that sends all of its body first', async () => {
      for (const route of [
        ...input.jsonRoutes.slice(0, 2),
        ...input.routes.filter(({ rawBody }) => rawBody),
      ]) {
        const size = 4 * (route.rawBody?.maxBytes ?? 4 * BODY_BYTES_MAX);
        const type = route.rawBody?.contentType ?? 'application/json';
        const body = Buffer.alloc(size, '%PDF-1.4 ');
        const length = head(route, { 'Content-Type': type, 'Content-Length': size });
        assertError(await sendBeforeReading(input.dms.baseUrl, [length, body]), 413, route.operationId);
        const chunked = head(route, { 'Content-Type': type, 'Transfer-Encoding': 'chunked' });
        const chunks = [chunked, `${size.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];
        assertError(await sendBeforeReading(input.dms.baseUrl, chunks), 413, `${route.operationId}, chunked`);
      }
    });

    it('answers 413 to a larger Content-Length than 1 MiB', () =>
      refused(input.jsonRoutes, 413, (route) => [
        raw('one byte more', padded(route, BODY_BYTES_MAX + 1)),
        raw('twice as much', padded(route, 2 * BODY_BYTES_MAX)),
      ]));

    it('answers 413 to a chunked body of more than 1 MiB', async () => {
      await unchanged(async () => {
        await forEvery(input.jsonRoutes, async (route) => {
          for (const bytes of [BODY_BYTES_MAX + 1, 8 * BODY_BYTES_MAX]) {
            const answer = await sendChunked(route, padded(route, bytes));
            assertError(answer, 413);
          }
        });
      });
    });
  });

  describe('the media type of a body', () => {
    it('answers 415 to other media types than application/json', () =>
      refused(input.jsonRoutes, 415, (route) =>
        [
          'text/plain',
          'application/xml',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/json-patch+json',
          'application/jsonx',
          'text/json',
          'json',
          '*/*',
          '',
        ].map((type) =>
          raw(`type "${type}"`, JSON.stringify(exampleBody(route, input.fixtures)), { 'content-type': type }),
        ),
      ));

    it('answers 415 to other charsets than UTF-8', () =>
      refused(input.jsonRoutes, 415, (route) =>
        ['iso-8859-1', 'utf-16', 'utf-7', '"latin1"', ''].map((charset) =>
          raw(`charset ${charset}`, JSON.stringify(exampleBody(route, input.fixtures)), {
            'content-type': `application/json; charset=${charset}`,
          }),
        ),
      ));

    it('answers 415 to a compressed body', () =>
      refused(input.jsonRoutes, 415, (route) =>
        ['gzip', 'br', 'deflate', 'gzip, identity'].map((encoding) =>
          raw(`encoding ${encoding}`, JSON.stringify(exampleBody(route, input.fixtures)), {
            'content-encoding': encoding,
          }),
        ),
      ));

    it('answers 415 to a body without a media type', async () => {
      await unchanged(async () => {
        await forEvery(input.jsonRoutes, async (route) => {
          const text = JSON.stringify(exampleBody(route, input.fixtures));
          assertError(
            await exchange(input.dms.baseUrl, [head(route, { 'Content-Length': text.length }), text]),
            415,
          );
        });
      });
    });

    it('accepts charset=utf-8 in any case', async () => {
      for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"']) {
        const { status } = await input.dms.api.post(
          '/assets',
          { serialNumber: randomUUID() },
          { headers: { 'content-type': type } },
        );
        assert.equal(status, 201, type);
      }
    });

    it('answers 415 to text in another charset, and says which one is read', async () => {
      const rows = 'serialNumber,name\nLATIN-1,K\u00fchlraum\n';
      for (const charset of ['iso-8859-1', '"windows-1252"', 'utf-16', '']) {
        const options = { raw: rows, headers: { 'content-type': `text/csv; charset=${charset}` } };
        const { status, body } = await input.dms.api.post('/assets/import', undefined, options);
        assert.equal(status, 415, charset);
        assert.match(body.message, /in UTF-8$/);
      }
      for (const type of [
        'text/csv;charset=UTF-8',
        'text/csv; header=present',
        'application/json; charset=utf-8',
      ]) {
        const options = { raw: type.startsWith('text') ? rows : '[]', headers: { 'content-type': type } };
        const { status } = await input.dms.api.post('/assets/import', undefined, options);
        assert.notEqual(status, 415, type);
      }
    });

    it('answers 415 to a file of another media type', async function () {
      const files = input.routes.filter(({ rawBody }) => rawBody !== undefined && !rawBody.otherTypes);
      if (files.length === 0) return this.skip();
      await refused(files, 415, () =>
        ['application/json', 'text/plain', 'application/pdfx', ''].map((type) =>
          raw(`type "${type}"`, '%PDF-1.4', { 'content-type': type }),
        ),
      );
    });
  });

  describe('an incomplete body', () => {
    const start = '{"serialNumber":"CUT';

    it('answers 400 to a body shorter than its Content-Length', async () => {
      await unchanged(async () => {
        await forEvery(input.jsonRoutes, async (route) => {
          const fields = { 'Content-Type': 'application/json', 'Content-Length': 500 };
          const answer = await exchange(input.dms.baseUrl, [head(route, fields), start], { end: true });
          assertError(answer, 400);
        });
      });
    });

    it('answers 400 to a body that ends within a chunk', async () => {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      await forEvery(input.jsonRoutes, async (route) => {
        const answer = await exchange(input.dms.baseUrl, [head(route, fields), `50\r\n${start}`], {
          end: true,
        });
        assertError(answer, 400);
      });
    });

    it('answers 400 to a malformed chunk', async () => {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      await forEvery(input.jsonRoutes, async (route) => {
        assertError(await exchange(input.dms.baseUrl, [head(route, fields), `zz\r\n${start}`]), 400);
      });
    });
  });
});
