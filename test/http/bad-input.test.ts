/**
 * What is wrong with a request is said, in the one error body, and nothing of it is done: over every operation of the
 * API, as listed by the service itself.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { BODY_BYTES_MAX } from '../../src/http/read-body.ts';
import type { Route } from '../../src/http/route.ts';
import { databaseContents, untilJobsStarted } from '../support/database-contents.ts';
import {
  type Change,
  call,
  exampleBody,
  forEvery,
  hasExample,
  KNOWN_SLOTS,
  nameFor,
  namesIn,
  pathOf,
  populate,
  slotsOf,
  takesJson,
  type World,
} from '../support/operations.ts';
import { exchange, type RawAnswer } from '../support/raw-socket.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const LONE_SURROGATE = '\ud800';
const KIBIBYTE = 1024;

let dms: TestService;
let org: TestOrganization;
let world: World;
/** A new world for the next test: this one is not what it was. */
let isSpoilt = true;
let foreign: World;
let token: string;
let deviceToken: string;
let routes: Route[];
/** All that read JSON: what takes no body refuses one. */
let jsonRoutes: Route[];
let bodyRoutes: Route[];

interface Bad extends Change {
  what: string;
}

/** Each bad request is answered with the status, and the database is as it was. */
async function refused(over: Route[], status: number, badOf: (route: Route) => Bad[]): Promise<void> {
  assert.ok(over.length > 0, 'over no operation at all');
  await unchanged(() =>
    forEvery(over, async (route) => {
      for (const bad of badOf(route)) {
        const answer = await call(org, route, world, bad);
        assert.equal(answer.status, status, `${bad.what} was answered ${answer.status} ${answer.text}`);
      }
    }),
  );
}

/** After the work, the database is as it was. */
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

/** As JSON.parse makes it: `__proto__` is a key like any other. */
const withKey = (value: unknown, key: string, inner: unknown) =>
  Object.fromEntries([...Object.entries(value as object), [key, inner]]);

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One bad request for every place in the example that the filter takes. */
function changedPlaces(
  route: Route,
  takes: (value: unknown) => boolean,
  changesOf: (value: unknown) => unknown[],
): Bad[] {
  const example = exampleBody(route, world);
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
  const text = JSON.stringify(exampleBody(route, world));
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
    world = await populate(org);
    token = (await dms.issueKey(org.id, 'customer')).token;
    deviceToken = (await dms.issueKey(org.id, 'device')).token;
    await untilJobsStarted(dms.service.sql);
  });

  describe('The examples of these tests', () => {
    it('hold a body for every operation that takes one', () => {
      assert.deepEqual(
        routes.filter((route) => !hasExample(route)).map(({ operationId }) => operationId),
        [],
        'add these to BODIES in test/support/operations.ts',
      );
    });

    it('name a thing for every path parameter', () => {
      const unknown = routes.flatMap(slotsOf).filter((slot) => !KNOWN_SLOTS.includes(slot));
      assert.deepEqual([...new Set(unknown)], [], 'make these in populate of test/support/operations.ts');
    });
  });

  describe('The shape of a body', () => {
    it('must be an object at the root', () =>
      refused(jsonRoutes, 400, () =>
        [[], [{}], 'text', 1, true, null].map((body) => raw(JSON.stringify(body), JSON.stringify(body))),
      ));

    it('has fields of the right type: numbers are not read from strings, nor strings from numbers', () => {
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

    it('has no unknown field, at any level', () =>
      refused(jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) => [withKey(value, 'surprise', 1), withKey(value, '', 1)]),
      ));

    it('has no field with a name that JavaScript gives a meaning, at any level', () =>
      refused(jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) =>
          ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].flatMap((key) => [
            withKey(value, key, { polluted: true }),
            withKey(value, key, 'text'),
          ]),
        ),
      ));

    it('names the field that is wrong', async () => {
      await forEvery(jsonRoutes, async (route) => {
        const { body } = await call(org, route, world, {
          body: withKey(exampleBody(route, world), 'surprise', 1),
        });
        assert.match(body.message, /surprise/);
      });
    });

    it('of PUT and PATCH is not empty', () =>
      refused(
        bodyRoutes.filter(({ method }) => method === 'PUT' || method === 'PATCH'),
        400,
        () => [raw('{}', '{}'), raw('nothing', '')],
      ));
  });

  describe('The text in a body', () => {
    const isText = (value: unknown) => typeof value === 'string';

    it('holds no NUL character', () =>
      refused(bodyRoutes, 400, (route) =>
        changedPlaces(route, isText, (text) => ['\u0000', `${text}\u0000`, `a\u0000${text}`]),
      ));

    it('holds no half of a surrogate pair', () =>
      refused(bodyRoutes, 400, (route) =>
        changedPlaces(route, isText, (text) => [LONE_SURROGATE, `${text}\udfff`, `\udbff${text}`]),
      ));

    it('is named by its place when it is refused', async () => {
      for (const [body, place] of [
        [{ name: 'a\u0000' }, 'name'],
        [{ alerts: [{ limits: ['x', LONE_SURROGATE] }] }, 'alerts[0].limits[1]'],
      ] as const) {
        const { status, body: answer } = await dms.api.post('/assets', body);
        assert.equal(status, 400);
        assert.match(answer.message, new RegExp(`^${place.replace(/[[\].]/g, '\\$&')} must hold no NUL`));
      }
    });

    it('is named by no more than the beginning of a place that is long', async () => {
      const { status, body } = await dms.api.post('/assets', { ['k'.repeat(100_000)]: '\u0000' });
      assert.deepEqual([status, body.message.length < 300], [400, true]);
    });

    it('holds neither in the name of a field', () =>
      refused(jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) => [
          withKey(value, LONE_SURROGATE, 1),
          withKey(value, '\u0000', 1),
        ]),
      ));

    it('is UTF-8', () =>
      refused(jsonRoutes, 400, () =>
        [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf]].map((bytes) =>
          raw(`bytes ${bytes}`, Buffer.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')])),
        ),
      ));

    it('is JSON', () =>
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

  describe('The size of a body', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

    it('is at most 32 levels deep', async () => {
      await refused(jsonRoutes, 400, () => [
        raw('33 levels', nested(33)),
        raw('5,000 levels', nested(5_000)),
        raw('200,000 levels', nested(200_000)),
        raw('5,000 levels in a field', `{"name":${nested(5_000)}}`),
        raw('5,000 levels of objects', '{"name":'.repeat(5_000) + 1 + '}'.repeat(5_000)),
      ]);
    });

    it('may be 1 MiB', async () => {
      isSpoilt = true;
      await forEvery(bodyRoutes, async (route) => {
        const { status, text } = await call(org, route, world, raw('1 MiB', padded(route, BODY_BYTES_MAX)));
        assert.ok(status < 300 || status === 404 || status === 409, `${status} ${text}`);
      });
      await untilJobsStarted(dms.service.sql);
    });

    it('is refused with 413 from 1 MiB and one byte on, declared in Content-Length', () =>
      refused(jsonRoutes, 413, (route) => [
        raw('one byte more', padded(route, BODY_BYTES_MAX + 1)),
        raw('twice as much', padded(route, 2 * BODY_BYTES_MAX)),
      ]));

    it('is refused with 413 from 1 MiB and one byte on, sent in chunks', async () => {
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

  describe('The media type of a body', () => {
    it('is application/json, else 415', () =>
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
          raw(`type "${type}"`, JSON.stringify(exampleBody(route, world)), { 'content-type': type }),
        ),
      ));

    it('is in UTF-8, else 415', () =>
      refused(jsonRoutes, 415, (route) =>
        ['iso-8859-1', 'utf-16', 'utf-7', '"latin1"', ''].map((charset) =>
          raw(`charset ${charset}`, JSON.stringify(exampleBody(route, world)), {
            'content-type': `application/json; charset=${charset}`,
          }),
        ),
      ));

    it('is not compressed, else 415', () =>
      refused(jsonRoutes, 415, (route) =>
        ['gzip', 'br', 'deflate', 'gzip, identity'].map((encoding) =>
          raw(`encoding ${encoding}`, JSON.stringify(exampleBody(route, world)), {
            'content-encoding': encoding,
          }),
        ),
      ));

    it('is not left out when there is a body, else 415', async () => {
      await unchanged(async () => {
        await forEvery(jsonRoutes, async (route) => {
          const text = JSON.stringify(exampleBody(route, world));
          assertError(
            await exchange(dms.baseUrl, [head(route, { 'Content-Length': text.length }), text]),
            415,
          );
        });
      });
    });

    it('may name UTF-8, in any case', async () => {
      for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"']) {
        const { status } = await dms.api.post(
          '/assets',
          { serialNumber: randomUUID() },
          { headers: { 'content-type': type } },
        );
        assert.equal(status, 201, type);
      }
    });

    it('of a file is its own, else 415', async function () {
      const files = routes.filter(({ rawBody }) => rawBody !== undefined);
      if (files.length === 0) return this.skip();
      await refused(files, 415, () =>
        ['application/json', 'text/plain', 'application/pdfx', ''].map((type) =>
          raw(`type "${type}"`, '%PDF-1.4', { 'content-type': type }),
        ),
      );
    });
  });

  describe('A body that does not arrive whole', () => {
    const start = '{"serialNumber":"CUT';

    it('is answered 400 when the sender stops before Content-Length', async () => {
      await unchanged(async () => {
        await forEvery(jsonRoutes, async (route) => {
          const fields = { 'Content-Type': 'application/json', 'Content-Length': 500 };
          const answer = await exchange(dms.baseUrl, [head(route, fields), start], { end: true });
          assertError(answer, 400);
        });
      });
    });

    it('is answered 400 when the sender stops within a chunk', async () => {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      await forEvery(jsonRoutes, async (route) => {
        const answer = await exchange(dms.baseUrl, [head(route, fields), `50\r\n${start}`], { end: true });
        assertError(answer, 400);
      });
    });

    it('is answered 400 when a chunk is no chunk', async () => {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      await forEvery(jsonRoutes, async (route) => {
        assertError(await exchange(dms.baseUrl, [head(route, fields), `zz\r\n${start}`]), 400);
      });
    });
  });

  describe('A path', () => {
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

    it('that names nothing is 404, whatever characters it is made of', () =>
      refused(slotRoutes(), 404, (route) =>
        slotsOf(route).flatMap((slot) =>
          BAD_NAMES.map((name) => ({
            what: name.slice(0, 40),
            path: pathOf(route, world, { [slot]: name }),
          })),
        ),
      ));

    it('with more or other segments is 404', () =>
      refused(routes, 404, (route) => {
        const path = pathOf(route, world);
        return [`${path}/`, `${path}/more/segments/here`, `/x${path}`, `${path};v=1`, `//x${path}`].map(
          (bad) => ({
            what: bad,
            path: bad,
          }),
        );
      }));

    it('with an id of another kind is 404', () =>
      refused(slotRoutes(), 404, (route) =>
        slotsOf(route).flatMap((slot) => {
          const others = namesIn(world).filter((id) => id !== nameFor(route, slot, world));
          return others.map((id) => ({
            what: `${slot} = ${id}`,
            path: pathOf(route, world, { [slot]: id }),
          }));
        }),
      ));

    it('whose body names a device of another organization is 404 and applies nothing', () =>
      refused(
        routes.filter(({ operationId }) => operationId === 'applyProfile'),
        404,
        () => [
          { what: 'the foreign serial', body: { serialNumbers: [foreign.serial] } },
          { what: 'among own ones', body: { serialNumbers: [world.serial, foreign.serial] } },
        ],
      ));
  });

  describe('A query', () => {
    const keysOf = ({ query: schema }: Route): string[] =>
      Object.keys((schema?.describe() as { keys?: object } | undefined)?.keys ?? {});
    const asked = (route: Route, text: string): Bad => ({
      what: text,
      path: `${pathOf(route, world)}?${text}`,
    });

    it('has no unknown parameter', () =>
      refused(routes, 400, (route) =>
        ['surprise=1', 'surprise', '=1', 'Limit=1', 'limit%5B%5D=1', '%zz=1', '%F0%9F%8C%A1=1'].map((text) =>
          asked(route, text),
        ),
      ));

    it('has no parameter with a name that JavaScript gives a meaning', () =>
      refused(routes, 400, (route) =>
        ['__proto__=1', '__proto__%5Bx%5D=1', 'constructor=1', 'prototype=1', 'toString=1', '__proto__'].map(
          (text) => asked(route, text),
        ),
      ));

    it('gives a parameter once', () =>
      refused(
        routes.filter((route) => keysOf(route).length > 0),
        400,
        (route) => keysOf(route).map((key) => asked(route, `${key}=1&${key}=1`)),
      ));

    it('gives no parameter without a value', () =>
      refused(
        routes.filter((route) => keysOf(route).length > 0),
        400,
        (route) => keysOf(route).flatMap((key) => [asked(route, key), asked(route, `${key}=`)]),
      ));

    it('holds no NUL character', () =>
      refused(routes, 400, (route) =>
        ['surprise', ...keysOf(route)].flatMap((key) => [
          asked(route, `${key}=%00`),
          asked(route, `${key}=1%00`),
          asked(route, `%00${key}=1`),
        ]),
      ));

    it('has a limit from 1 to 500, as a whole number', () =>
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

    it('has a cursor that is an id', () =>
      refused(
        routes.filter((route) => keysOf(route).includes('cursor')),
        400,
        (route) =>
          ['1', 'abc', '-', `${randomUUID()}x`, '{}', '%27', randomUUID().replaceAll('-', '')].map((text) =>
            asked(route, `cursor=${text}`),
          ),
      ));

    it('has only the listed words where words are listed', () =>
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

  describe('A request that is no HTTP', () => {
    const send = (text: string, options?: { end: boolean }) => exchange(dms.baseUrl, [text], options);

    it('is answered 400', async () => {
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

    it('is answered 400 when HTTP/1.1 comes without Host', async () => {
      assertError(await send('GET /assets HTTP/1.1\r\nConnection: close\r\n\r\n'), 400);
    });

    it('is answered 400 when it ends within the headers', async () => {
      assertError(await send('GET /assets HTTP/1.1\r\nHost: x\r\nX-A: b', { end: true }), 400);
    });

    it('is answered 431 when its headers are larger than 16 KiB', async () => {
      const long = 'a'.repeat(17 * KIBIBYTE);
      assertError(await send(`GET /assets HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`), 431, 'a header');
      assertError(await send(`GET /assets?${long} HTTP/1.1\r\nHost: x\r\n\r\n`), 431, 'the path');
    });

    it('is served when it expects something else than 100-continue: that is no fault', async () => {
      const answer = await send(
        `GET /assets HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(answer?.status, 200);
    });

    it('never spoils the answer to the request before it', async () => {
      const first = `GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`;
      const answer = (await exchange(dms.baseUrl, [first, 'nonsense\r\n\r\n'])) as RawAnswer;
      if (answer.status === 200) {
        const length = Number(answer.headers['content-length']);
        assert.doesNotThrow(() => JSON.parse(Buffer.from(answer.body).subarray(0, length).toString()));
      } else assertError(answer, 400);
    });
  });

  describe('A request that takes too long', () => {
    let slow: TestService;
    before(async () => {
      slow = await startService({ withWorker: false, settings: { requestTimeoutMs: 200 } });
    });
    after(() => slow.stop());

    it('is answered 408 when its headers do not end', async () => {
      assertError(await exchange(slow.baseUrl, ['GET /assets HTTP/1.1\r\nHost: x\r\n']), 408);
    });

    it('is answered 408 when its body does not end', async () => {
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

  describe('No input at all', () => {
    let own: TestOrganization;
    let its: World;
    before(async () => {
      own = await dms.addOrganization();
      its = await populate(own);
    });

    /** Below 500, in a shape that is declared (the client sees to that). */
    const survives = (change: Change, route: Route) =>
      call(own, route, its, change).then(({ status, text }) => assert.ok(status < 500, `${status} ${text}`));
    const anyRoute = () => fc.constantFrom(...routes);
    const text = () => fc.string({ unit: fc.oneof(fc.constant('\u0000'), fc.string({ unit: 'binary' })) });
    const value = () => fc.oneof(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>, text(), fc.double());

    it('as a body makes the service fail', async () => {
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

    it('as bytes makes the service fail', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...jsonRoutes), fc.uint8Array({ maxLength: 64 }), (route, bytes) =>
          survives({ options: { raw: Buffer.from(bytes) } }, route),
        ),
        { numRuns: 100 },
      );
    });

    it('as a query makes the service fail', async () => {
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

    it('as a path makes the service fail', async () => {
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
  return `${[`${route.method} ${pathOf(route, world)} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
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
