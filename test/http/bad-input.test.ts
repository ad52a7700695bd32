/**
 * A bad request gets the common error body with the reason and changes nothing: tested over every operation in the
 * service's own list of routes.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { BODY_BYTES_MAX } from '../../src/http/read-body.ts';
import type { Route } from '../../src/http/route.ts';
import { databaseContents, untilJobsStarted } from '../support/database-contents.ts';
import {
  type Change,
  call,
  exampleBody,
  type Fixtures,
  forEvery,
  hasExample,
  KNOWN_SLOTS,
  nameFor,
  namesIn,
  pathOf,
  populate,
  slotsOf,
  takesJson,
} from '../support/operations.ts';
import { exchange, type RawAnswer } from '../support/raw-socket.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const LONE_SURROGATE = '\ud800';
const KIBIBYTE = 1024;

let dms: TestService;
let org: TestOrganization;
let fixtures: Fixtures;
/** New test data for the next test, because this one changed it. */
let isSpoilt = true;
let foreign: Fixtures;
let token: string;
let deviceToken: string;
let routes: Route[];
/** All operations that read JSON: those without a body refuse one. */
let jsonRoutes: Route[];
let bodyRoutes: Route[];

interface Bad extends Change {
  what: string;
}

/** Each bad request is answered with the status and leaves the database unchanged. */
async function refused(over: Route[], status: number, badOf: (route: Route) => Bad[]): Promise<void> {
  assert.ok(over.length > 0, 'over no operation at all');
  await unchanged(() =>
    forEvery(over, async (route) => {
      for (const bad of badOf(route)) {
        const answer = await call(org, route, fixtures, bad);
        assert.equal(answer.status, status, `${bad.what} was answered ${answer.status} ${answer.text}`);
      }
    }),
  );
}

/** The work leaves the database unchanged. */
async function unchanged(work: () => Promise<void>): Promise<void> {
  const before = await databaseContents(dms.service.sql);
  isSpoilt = true;
  await work();
  assert.deepEqual(await databaseContents(dms.service.sql), before);
  isSpoilt = false;
}

type Place = Array<string | number>;

/** The value itself and everything in it. */
function* places(value: unknown, at: Place = []): Generator<[Place, unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* places(inner, [...at, key]);
}

function replacedAt(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (copy as Record<string, unknown>)[key];
  return Object.assign(copy, { [key]: replacedAt(inner, rest, by) });
}

/** As JSON.parse creates it: `__proto__` is an ordinary key. */
const withKey = (value: unknown, key: string, inner: unknown) =>
  Object.fromEntries([...Object.entries(value as object), [key, inner]]);

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One bad request for every place in the example that passes the filter. */
function changedPlaces(
  route: Route,
  takes: (value: unknown) => boolean,
  changesOf: (value: unknown) => unknown[],
): Bad[] {
  const example = exampleBody(route, fixtures);
  return [...places(example)]
    .filter(([, value]) => takes(value))
    .flatMap(([at, value]) =>
      changesOf(value).map((changed) => ({
        what: `${at.join('.') || 'the body'} = ${JSON.stringify(changed)?.slice(0, 80)}`,
        body: replacedAt(example, at, changed),
      })),
    );
}

/** The valid body with white space after it, up to the size. */
function padded(route: Route, bytes: number): Buffer {
  const text = JSON.stringify(exampleBody(route, fixtures));
  return Buffer.concat([Buffer.from(text), Buffer.alloc(bytes - Buffer.byteLength(text), ' ')]);
}

const raw = (what: string, payload: string | Buffer, headers?: Record<string, string>): Bad => ({
  what,
  options: { raw: payload, headers },
});

describe('Bad input', () => {
  before(async () => {
    dms = await startService({ withWorker: false });
    routes = dms.service.routes;
    jsonRoutes = routes.filter(({ method, rawBody }) => method !== 'GET' && rawBody === undefined);
    bodyRoutes = routes.filter(takesJson);
    foreign = await populate(await dms.addOrganization());
  });
  after(() => dms.stop());
  beforeEach(async () => {
    if (!isSpoilt) return;
    isSpoilt = false;
    org = await dms.addOrganization();
    fixtures = await populate(org);
    token = (await dms.issueKey(org.id, 'customer')).token;
    deviceToken = (await dms.issueKey(org.id, 'device')).token;
    await untilJobsStarted(dms.service.sql);
  });

  describe('the examples of these tests', () => {
    it('contain a body for every operation that has one', () => {
      assert.deepEqual(
        routes.filter((route) => !hasExample(route)).map(({ operationId }) => operationId),
        [],
        'add these to BODIES in test/support/operations.ts',
      );
    });

    it('contain a value for every path parameter', () => {
      const unknown = routes.flatMap(slotsOf).filter((slot) => !KNOWN_SLOTS.includes(slot));
      assert.deepEqual([...new Set(unknown)], [], 'make these in populate of test/support/operations.ts');
    });
  });

  describe('the shape of a body', () => {
    it('answers 400 to a body that is not an object', () =>
      refused(jsonRoutes, 400, () =>
        [[], [{}], 'text', 1, true, null].map((body) => raw(JSON.stringify(body), JSON.stringify(body))),
      ));

    it('answers 400 to fields of the wrong type, without converting strings and numbers', () => {
      const wrong: Record<string, unknown[]> = {
        string: [1, true, null, {}, []],
        number: ['1', '', true, null, {}, []],
        boolean: ['true', 1, 0, null, {}],
        array: ['text', 1, {}, null],
        object: ['text', 1, [], null],
      };
      const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
      return refused(bodyRoutes, 400, (route) =>
        changedPlaces(
          route,
          () => true,
          (value) => wrong[typeOf(value)] as unknown[],
        ),
      );
    });

    it('answers 400 to unknown fields at any level', () =>
      refused(jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) => [withKey(value, 'surprise', 1), withKey(value, '', 1)]),
      ));

    it('answers 400 to __proto__ and similar field names at any level', () =>
      refused(jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) =>
          ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].flatMap((key) => [
            withKey(value, key, { polluted: true }),
            withKey(value, key, 'text'),
          ]),
        ),
      ));

    it('names the wrong field in the message', async () => {
      await forEvery(jsonRoutes, async (route) => {
        const { body } = await call(org, route, fixtures, {
          body: withKey(exampleBody(route, fixtures), 'surprise', 1),
        });
        assert.match(body.message, /surprise/);
      });
    });

    it('answers 400 to an empty body of PUT and PATCH', () =>
      refused(
        bodyRoutes.filter(({ method }) => method === 'PUT' || method === 'PATCH'),
        400,
        () => [raw('{}', '{}'), raw('nothing', '')],
      ));
  });

  describe('the text in a body', () => {
    const isText = (value: unknown) => typeof value === 'string';

    it('answers 400 to text with a NUL character', () =>
      refused(bodyRoutes, 400, (route) =>
        changedPlaces(route, isText, (text) => ['\u0000', `${text}\u0000`, `a\u0000${text}`]),
      ));

    it('answers 400 to text with a lone surrogate', () =>
      refused(bodyRoutes, 400, (route) =>
        changedPlaces(route, isText, (text) => [LONE_SURROGATE, `${text}\udfff`, `\udbff${text}`]),
      ));

    it('never quotes the value that it refuses', async () => {
      await forEvery(bodyRoutes, async (route) => {
        const bad = changedPlaces(route, isText, () => [`<quoted>${' '.repeat(200)}`, ' \t ']);
        for (const { body: sent } of bad) {
          const { status, text } = await call(org, route, fixtures, { body: sent });
          if (status === 400)
            assert.doesNotMatch(text, /<quoted>|with value/, JSON.stringify(sent).slice(0, 200));
        }
      });
      isSpoilt = true;
    });

    it('names the path of text that it refuses', async () => {
      for (const [body, place] of [
        [{ name: 'a\u0000' }, 'name'],
        [{ alerts: [{ limits: ['x', LONE_SURROGATE] }] }, 'alerts[0].limits[1]'],
      ] as const) {
        const { status, body: answer } = await dms.api.post('/assets', body);
        assert.equal(status, 400);
        assert.match(answer.message, new RegExp(`^${place.replace(/[[\].]/g, '\\$&')} must hold no NUL`));
      }
    });

    it('cuts a long path of refused text in the message', async () => {
      const { status, body } = await dms.api.post('/assets', { ['k'.repeat(100_000)]: '\u0000' });
      assert.deepEqual([status, body.message.length < 300], [400, true]);
    });

    it('answers 400 to NUL characters and lone surrogates in field names', () =>
      refused(jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) => [
          withKey(value, LONE_SURROGATE, 1),
          withKey(value, '\u0000', 1),
        ]),
      ));

    it('answers 400 to a body that is not UTF-8', () =>
      refused(jsonRoutes, 400, () =>
        [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf]].map((bytes) =>
          raw(`bytes ${bytes}`, Buffer.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')])),
        ),
      ));

    it('answers 400 to a body that is not JSON', () =>
      refused(jsonRoutes, 400, () =>
        [
          '{',
          '}',
          '{"a":}',
          '{"a":1,}',
          "{'a':1}",
          'NaN',
          '[1',
          '"',
          '{"a":01}',
          '{} {}',
          'a=1',
          '\u0000',
        ].map((text) => raw(text, text)),
      ));
  });

  describe('the size of a body', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

    it('accepts 32 levels of nesting and answers 400 to more', async () => {
      await refused(jsonRoutes, 400, () => [
        raw('33 levels', nested(33)),
        raw('5,000 levels', nested(5_000)),
        raw('200,000 levels', nested(200_000)),
        raw('5,000 levels in a field', `{"name":${nested(5_000)}}`),
        raw('5,000 levels of objects', '{"name":'.repeat(5_000) + 1 + '}'.repeat(5_000)),
      ]);
    });

    it('accepts a body of 1 MiB', async () => {
      isSpoilt = true;
      await forEvery(bodyRoutes, async (route) => {
        const { status, text } = await call(
          org,
          route,
          fixtures,
          raw('1 MiB', padded(route, BODY_BYTES_MAX)),
        );
        assert.ok(status < 300 || status === 404 || status === 409, `${status} ${text}`);
      });
      await untilJobsStarted(dms.service.sql);
    });

    it('answers 413 to a larger Content-Length than 1 MiB', () =>
      refused(jsonRoutes, 413, (route) => [
        raw('one byte more', padded(route, BODY_BYTES_MAX + 1)),
        raw('twice as much', padded(route, 2 * BODY_BYTES_MAX)),
      ]));

    it('answers 413 to a chunked body of more than 1 MiB', async () => {
      await unchanged(async () => {
        await forEvery(jsonRoutes, async (route) => {
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
      refused(jsonRoutes, 415, (route) =>
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
          raw(`type "${type}"`, JSON.stringify(exampleBody(route, fixtures)), { 'content-type': type }),
        ),
      ));

    it('answers 415 to other charsets than UTF-8', () =>
      refused(jsonRoutes, 415, (route) =>
        ['iso-8859-1', 'utf-16', 'utf-7', '"latin1"', ''].map((charset) =>
          raw(`charset ${charset}`, JSON.stringify(exampleBody(route, fixtures)), {
            'content-type': `application/json; charset=${charset}`,
          }),
        ),
      ));

    it('answers 415 to a compressed body', () =>
      refused(jsonRoutes, 415, (route) =>
        ['gzip', 'br', 'deflate', 'gzip, identity'].map((encoding) =>
          raw(`encoding ${encoding}`, JSON.stringify(exampleBody(route, fixtures)), {
            'content-encoding': encoding,
          }),
        ),
      ));

    it('answers 415 to a body without a media type', async () => {
      await unchanged(async () => {
        await forEvery(jsonRoutes, async (route) => {
          const text = JSON.stringify(exampleBody(route, fixtures));
          assertError(
            await exchange(dms.baseUrl, [head(route, { 'Content-Length': text.length }), text]),
            415,
          );
        });
      });
    });

    it('accepts charset=utf-8 in any case', async () => {
      for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"']) {
        const { status } = await dms.api.post(
          '/assets',
          { serialNumber: randomUUID() },
          { headers: { 'content-type': type } },
        );
        assert.equal(status, 201, type);
      }
    });

    it('answers 415 to a file of another media type', async function () {
      const files = routes.filter(({ rawBody }) => rawBody !== undefined && !rawBody.otherTypes);
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
        await forEvery(jsonRoutes, async (route) => {
          const fields = { 'Content-Type': 'application/json', 'Content-Length': 500 };
          const answer = await exchange(dms.baseUrl, [head(route, fields), start], { end: true });
          assertError(answer, 400);
        });
      });
    });

    it('answers 400 to a body that ends within a chunk', async () => {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      await forEvery(jsonRoutes, async (route) => {
        const answer = await exchange(dms.baseUrl, [head(route, fields), `50\r\n${start}`], { end: true });
        assertError(answer, 400);
      });
    });

    it('answers 400 to a malformed chunk', async () => {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      await forEvery(jsonRoutes, async (route) => {
        assertError(await exchange(dms.baseUrl, [head(route, fields), `zz\r\n${start}`]), 400);
      });
    });
  });

  describe('the path', () => {
    const slotRoutes = () => routes.filter((route) => slotsOf(route).length > 0);
    const BAD_NAMES = [
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
      '%0d%0aX-Injected:1',
      '__proto__',
      'constructor',
      'toString',
      'null',
      'undefined',
      '0',
      '-1',
      '*',
      '%27%20or%201=1--',
      '%F0%9F%8C%A1',
      'x'.repeat(8 * KIBIBYTE),
    ];

    /** Whatever serial number these tests send with is an unregistered device, and may be removed. */
    const namingRoutes = () =>
      slotRoutes().filter(({ operationId }) => operationId !== 'removeUnregisteredDevice');

    it('answers 404 to a path parameter that names nothing, whatever its characters', () =>
      refused(namingRoutes(), 404, (route) =>
        slotsOf(route).flatMap((slot) =>
          BAD_NAMES.map((name) => ({
            what: name.slice(0, 40),
            path: pathOf(route, fixtures, { [slot]: name }),
          })),
        ),
      ));

    it('answers 404 to a path with additional or other segments', () =>
      refused(routes, 404, (route) => {
        const [path = ''] = pathOf(route, fixtures).split('?');
        // `/assets/import;v=1` may be a device.
        const withParameter = route.operationId === 'importAssets' ? [] : [`${path};v=1`];
        return [`${path}/`, `${path}/more/segments/here`, `/x${path}`, ...withParameter, `//x${path}`].map(
          (bad) => ({
            what: bad,
            path: bad,
          }),
        );
      }));

    it('answers 404 to an id of another kind', () =>
      refused(namingRoutes(), 404, (route) =>
        slotsOf(route).flatMap((slot) => {
          const others = namesIn(fixtures).filter((id) => id !== nameFor(route, slot, fixtures));
          return others.map((id) => ({
            what: `${slot} = ${id}`,
            path: pathOf(route, fixtures, { [slot]: id }),
          }));
        }),
      ));

    it('answers 404 and applies nothing when the body names a device of another organization', () =>
      refused(
        routes.filter(({ operationId }) => operationId === 'applyProfile'),
        404,
        () => [
          { what: 'the foreign serial', body: { serialNumbers: [foreign.serial] } },
          { what: 'among own ones', body: { serialNumbers: [fixtures.serial, foreign.serial] } },
        ],
      ));
  });

  describe('the query', () => {
    const keysOf = ({ query: schema }: Route): string[] =>
      Object.keys((schema?.describe() as { keys?: object } | undefined)?.keys ?? {});
    const asked = (route: Route, text: string): Bad => ({
      what: text,
      path: `${pathOf(route, fixtures)}?${text}`,
    });

    it('answers 400 to unknown query parameters', () =>
      refused(routes, 400, (route) =>
        ['surprise=1', 'surprise', '=1', 'Limit=1', 'limit%5B%5D=1', '%zz=1', '%F0%9F%8C%A1=1'].map((text) =>
          asked(route, text),
        ),
      ));

    it('answers 400 to __proto__ and similar query parameters', () =>
      refused(routes, 400, (route) =>
        ['__proto__=1', '__proto__%5Bx%5D=1', 'constructor=1', 'prototype=1', 'toString=1', '__proto__'].map(
          (text) => asked(route, text),
        ),
      ));

    it('answers 400 to repeated query parameters', () =>
      refused(
        routes.filter((route) => keysOf(route).length > 0),
        400,
        (route) => keysOf(route).map((key) => asked(route, `${key}=1&${key}=1`)),
      ));

    it('answers 400 to query parameters without a value', () =>
      refused(
        routes.filter((route) => keysOf(route).length > 0),
        400,
        (route) => keysOf(route).flatMap((key) => [asked(route, key), asked(route, `${key}=`)]),
      ));

    it('answers 400 to text with a NUL character', () =>
      refused(routes, 400, (route) =>
        ['surprise', ...keysOf(route)].flatMap((key) => [
          asked(route, `${key}=%00`),
          asked(route, `${key}=1%00`),
          asked(route, `%00${key}=1`),
        ]),
      ));

    it('accepts only whole numbers from 1 to 500 as limit', () =>
      refused(
        routes.filter((route) => keysOf(route).includes('limit')),
        400,
        (route) =>
          [
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
            '1e999',
            '9'.repeat(400),
            '9007199254740993',
            '1,2',
            '1;2',
            '%EF%BC%91',
            '--1',
          ].map((text) => asked(route, `limit=${text}`)),
      ));

    it('accepts only ids as cursor', () =>
      refused(
        routes.filter((route) => keysOf(route).includes('cursor')),
        400,
        (route) =>
          ['1', 'abc', '-', `${randomUUID()}x`, '{}', '%27', randomUUID().replaceAll('-', '')].map((text) =>
            asked(route, `cursor=${text}`),
          ),
      ));

    it('accepts only the listed values of an enumeration', () =>
      refused(
        routes.filter((route) => ['status', 'state', 'dryRun'].some((key) => keysOf(route).includes(key))),
        400,
        (route) =>
          keysOf(route)
            .filter((key) => ['status', 'state', 'dryRun'].includes(key))
            .flatMap((key) =>
              ['nonsense', 'ACTIVE', '1', 'null', '__proto__'].map((word) => asked(route, `${key}=${word}`)),
            ),
      ));
  });

  describe('malformed HTTP', () => {
    const send = (text: string, options?: { end: boolean }) => exchange(dms.baseUrl, [text], options);

    it('answers 400 to a malformed request line or header', async () => {
      const lines = [
        'nonsense\r\n\r\n',
        'GET /assets HTTP/9.9\r\nHost: x\r\n\r\n',
        'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
        'G@T /assets HTTP/1.1\r\nHost: x\r\n\r\n',
        'GET /assets HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n',
        'GET /assets HTTP/1.1\r\nHost: x\r\nX-A: \u0000\r\n\r\n',
        'POST /assets HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
        'POST /assets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        'POST /assets HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\u0016\u0003\u0001\u0002\u0000',
      ];
      for (const line of lines) assertError(await send(line), 400, JSON.stringify(line));
    });

    it('answers 400 to HTTP/1.1 without a Host header', async () => {
      assertError(await send('GET /assets HTTP/1.1\r\nConnection: close\r\n\r\n'), 400);
    });

    it('answers 400 to more than one Host header', async () => {
      for (const hosts of ['Host: x\r\nHost: y', 'Host: x\r\nhost: x', 'Host: \r\nHost: x']) {
        for (const version of ['1.1', '1.0']) {
          const answer = await send(`GET /livez HTTP/${version}\r\n${hosts}\r\nConnection: close\r\n\r\n`);
          assertError(answer, 400, `${version} ${hosts}`);
        }
      }
    });

    it('answers 400 to any transfer coding but chunked', async () => {
      const chunked = '2\r\n{}\r\n0\r\n\r\n';
      for (const coding of ['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'x,chunked', 'gzip']) {
        const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': coding };
        const [route] = bodyRoutes as [Route];
        assertError(await exchange(dms.baseUrl, [head(route, fields), chunked]), 400, coding);
      }
      const twice = 'Host: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked';
      assertError(await send(`POST /assets HTTP/1.1\r\n${twice}\r\n\r\n${chunked}`), 400);
    });

    it('answers 431 to more than 200 header fields, whatever their size', async () => {
      const fields = (count: number) => 'a:b\r\n'.repeat(count);
      const close = 'Host: x\r\nConnection: close\r\n';
      const few = await send(`GET /livez HTTP/1.1\r\n${close}${fields(190)}\r\n`);
      assert.equal(few?.status, 200);
      for (const count of [200, 1_100, 2_500]) {
        const last = `Authorization: Bearer ${token}\r\n`;
        const text = `GET /assets HTTP/1.1\r\n${close}${fields(count)}${last}\r\n`;
        assertError(await send(text), 431, `${count} fields`);
      }
    });

    it('answers a valid request first when garbage follows it on the connection', async () => {
      for (let round = 0; round < 5; round++) {
        const { body, ...request } = registration();
        const answer = await exchange(dms.baseUrl, [`${request.head}${body}nonsense\r\n\r\n`]);
        assert.equal(answer?.status, 201, answer?.body);
        assert.match(answer.body, /HTTP\/1\.1 400 Bad Request/, 'and the garbage after it');
      }
      const [first, second] = [registration(), registration()];
      const both = `${first.head}${first.body}${second.head}${second.body}`;
      const answer = await exchange(dms.baseUrl, [`${both}nonsense\r\n\r\n`]);
      const statuses = [...`HTTP/1.1 ${answer?.status} ${answer?.body}`.matchAll(/HTTP\/1\.1 (\d+)/g)];
      assert.deepEqual(
        statuses.map(([, status]) => status),
        ['201', '201', '400'],
      );
      isSpoilt = true;
    });

    it('refuses a connection once, however much garbage comes while a request is under way', async () => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error) => warnings.push(warning);
      process.on('warning', onWarning);
      const blocker = await dms.service.sql.transaction();
      await blocker.raw('lock table assets');
      const { hostname, port } = new URL(dms.baseUrl);
      const socket = connect({ host: hostname, port: Number(port) }).setNoDelay();
      const closed = once(socket, 'close');
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write(`GET /assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      for (let piece = 0; piece < 20; piece++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        socket.write('nonsense\r\n\r\n');
      }
      await blocker.rollback();
      await closed;
      process.off('warning', onWarning);
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      assert.deepEqual([statuses, warnings], [['200', '400'], []]);
    });

    const registration = () => {
      const body = JSON.stringify({ serialNumber: randomUUID() });
      const lines = [
        'POST /assets HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ];
      return { head: `${lines.join('\r\n')}\r\n\r\n`, body };
    };

    it('answers 400 to a request that ends within its headers', async () => {
      assertError(await send('GET /assets HTTP/1.1\r\nHost: x\r\nX-A: b', { end: true }), 400);
    });

    it('answers 431 to headers of more than 16 KiB', async () => {
      const long = 'a'.repeat(17 * KIBIBYTE);
      assertError(await send(`GET /assets HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`), 431, 'a header');
      assertError(await send(`GET /assets?${long} HTTP/1.1\r\nHost: x\r\n\r\n`), 431, 'the path');
    });

    it('ignores expectations other than 100-continue', async () => {
      const answer = await send(
        `GET /assets HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(answer?.status, 200);
    });

    it('does not corrupt the response to the previous request of the connection', async () => {
      const first = `GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`;
      const answer = (await exchange(dms.baseUrl, [first, 'nonsense\r\n\r\n'])) as RawAnswer;
      if (answer.status === 200) {
        const length = Number(answer.headers['content-length']);
        assert.doesNotThrow(() => JSON.parse(Buffer.from(answer.body).subarray(0, length).toString()));
      } else assertError(answer, 400);
    });
  });

  describe('slow requests', () => {
    let slow: TestService;
    before(async () => {
      slow = await startService({ withWorker: false, settings: { requestTimeoutMs: 200 } });
    });
    after(() => slow.stop());

    it('answers 408 when the headers do not end in time', async () => {
      assertError(await exchange(slow.baseUrl, ['GET /assets HTTP/1.1\r\nHost: x\r\n']), 408);
    });

    it('answers 408 when the body does not end in time', async () => {
      const { token: key } = await slow.issueKey(slow.id, 'customer');
      const lines = [
        'POST /assets HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        'Content-Length: 100',
      ];
      assertError(await exchange(slow.baseUrl, [`${lines.join('\r\n')}\r\n\r\n{"serial`]), 408);
      const { body } = await slow.api.get('/assets');
      assert.equal(body.totalItems, 0);
    });
  });

  describe('random input', () => {
    let own: TestOrganization;
    let its: Fixtures;
    before(async () => {
      own = await dms.addOrganization();
      its = await populate(own);
    });

    /** The status is below 500; the client checks that the response matches its schema. */
    const survives = (change: Change, route: Route) =>
      call(own, route, its, change).then(({ status, text }) => assert.ok(status < 500, `${status} ${text}`));
    const anyRoute = () => fc.constantFrom(...routes);
    const text = () => fc.string({ unit: fc.oneof(fc.constant('\u0000'), fc.string({ unit: 'binary' })) });
    const value = () => fc.oneof(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>, text(), fc.double());

    it('never fails on a random body', async () => {
      const changes = fc.constantFrom(...jsonRoutes).chain((route) => {
        const example = exampleBody(route, its);
        const mutated = fc
          .tuple(fc.constantFrom(...[...places(example)].map(([at]) => at)), value())
          .map(([at, by]) => replacedAt(example, at, by));
        return fc.record({ route: fc.constant(route), body: fc.oneof(mutated, value()) });
      });
      await fc.assert(
        fc.asyncProperty(changes, ({ route, body }) =>
          survives({ options: { raw: JSON.stringify(body) ?? '' } }, route),
        ),
        { numRuns: 400 },
      );
    });

    it('never fails on random bytes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...jsonRoutes), fc.uint8Array({ maxLength: 64 }), (route, bytes) =>
          survives({ options: { raw: Buffer.from(bytes) } }, route),
        ),
        { numRuns: 100 },
      );
    });

    it('never fails on a random query', async () => {
      const key = fc.oneof(
        fc.constantFrom('limit', 'cursor', 'status', 'state', 'model', 'model-name', 'dryRun', '__proto__'),
        text().map((each) => encodeURIComponent(each.toWellFormed())),
      );
      const part = fc.oneof(
        text().map((each) => encodeURIComponent(each.toWellFormed())),
        fc.constantFrom('%', '%zz', '%ff', '1', '0', 'true', '', randomUUID()),
      );
      const queries = fc.array(
        fc.tuple(key, part).map(([a, b]) => `${a}=${b}`),
        { maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(anyRoute(), queries, (route, parts) =>
          survives({ path: `${pathOf(route, its)}?${parts.join('&')}` }, route),
        ),
        { numRuns: 300 },
      );
    });

    it('never fails on a random path', async () => {
      const segment = fc.oneof(
        text().map((each) => encodeURIComponent(each.toWellFormed())),
        fc.constantFrom('%', '%zz', '%ff', '%00', '%2F', 'assets', 'devices', 'config', '', '__proto__'),
      );
      const paths = anyRoute().chain((route) =>
        fc.record({
          route: fc.constant(route),
          path: fc
            .record(Object.fromEntries(slotsOf(route).map((slot) => [slot, segment])))
            .map((names) => pathOf(route, its, names as Record<string, string>)),
        }),
      );
      const free = fc.record({
        route: anyRoute(),
        path: fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
      });
      await fc.assert(
        fc.asyncProperty(fc.oneof(paths, free), ({ route, path }) => survives({ path }, route)),
        { numRuns: 300 },
      );
    });
  });
});

/** The request line and headers of the valid request of a route, with a key. */
function head(route: Route, fields: Record<string, string | number>): string {
  const key = route.auth === 'customer' ? token : deviceToken;
  const headers = { Host: 'test', Authorization: `Bearer ${key}`, Connection: 'close', ...fields };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`${route.method} ${pathOf(route, fixtures)} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

async function sendChunked(route: Route, payload: Buffer): Promise<RawAnswer | null> {
  const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
  const size = `${payload.length.toString(16)}\r\n`;
  return exchange(dms.baseUrl, [head(route, fields), size, payload, '\r\n0\r\n\r\n']);
}

function assertError(answer: RawAnswer | null, status: number, what = ''): void {
  assert.ok(answer, `closed without an answer ${what}`);
  assert.equal(answer.status, status, `${what} ${answer.body}`);
  const body = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(body).sort(), ['message', 'success']);
  assert.equal(body.success, false);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.match(answer.headers['request-id'] ?? '', /^[A-Za-z0-9_-]{1,64}$/);
}
