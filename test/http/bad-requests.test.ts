/**
 * A bad request gets the common error body with the reason, and changes nothing. Every operation refuses one
 * bad body and one bad query over HTTP, which shows that it uses the shared checks; these are tested in full
 * on one operation of each kind. request-shapes.test.ts tests the shapes of all operations.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { BODY_BYTES_MAX } from '../../src/http/read-body.ts';
import type { Route } from '../../src/http/route.ts';
import type { Answer } from '../support/client.ts';
import { databaseContents, untilJobsStarted } from '../support/database-contents.ts';
import {
  call,
  exampleBody,
  type Fixtures,
  forEvery,
  nameFor,
  namesIn,
  pathOf,
  populate,
  slotsOf,
  takesJson,
} from '../support/operations.ts';
import { exchange, type RawAnswer, sendBeforeReading } from '../support/raw-socket.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import {
  BAD_ENCODINGS,
  BAD_NAMES,
  BAD_QUERIES,
  BAD_TYPES,
  keysOf,
  LONE_SURROGATE,
  TOO_DEEP,
  UNREADABLE,
} from './bad-examples.ts';
import { assertError, type Bad, places, raw, replacedAt, withKey } from './harness.ts';
import { refusalOfBody, refusalOfPath } from './request-reader.ts';

/** The first route of each kind. */
const oneOfEach = (routes: Route[], kindOf: (route: Route) => string): Route[] => [
  ...new Map(routes.toReversed().map((route) => [kindOf(route), route])).values(),
];

describe('A bad request', () => {
  const dms = useService({ withWorker: false });
  let fixtures: Fixtures;
  let foreign: Fixtures;
  let routes: Route[];
  /** All operations that read JSON; those without a body refuse one. */
  let jsonRoutes: Route[];
  let bodyRoutes: Route[];
  /** One JSON route for each method and kind of key, with and without a body. */
  let kinds: Route[];
  let tokens: Record<Route['auth'], string>;

  before(async () => {
    routes = dms.service.routes;
    jsonRoutes = routes.filter(({ method, rawBody }) => method !== 'GET' && rawBody === undefined);
    bodyRoutes = routes.filter(takesJson);
    kinds = oneOfEach(jsonRoutes, (route) => `${route.method} ${route.auth} ${takesJson(route)}`);
    fixtures = await populate(dms);
    const other = await dms.addOrganization();
    foreign = await populate(other);
    // Creates the partition for the readings in the example, which a bad request with them would otherwise
    // create.
    const measuring = routes.find(({ operationId }) => operationId === 'sendMeasurements') as Route;
    assert.equal((await call(other, measuring, foreign, {})).status, 202);
    tokens = {
      customer: (await dms.issueKey(dms.id, 'customer')).token,
      device: (await dms.issueKey(dms.id, 'device')).token,
    };
    await untilJobsStarted(dms.service.sql);
  });

  /** Checks that the work leaves the database unchanged. */
  async function unchanged(work: () => Promise<void>): Promise<void> {
    const before = await databaseContents(dms.service.sql);
    await work();
    assert.deepEqual(await databaseContents(dms.service.sql), before);
  }

  /** Checks the status of the answer to each bad request. */
  async function refused(over: Route[], status: number, badOf: (route: Route) => Bad[]): Promise<void> {
    assert.ok(over.length > 0, 'over no operation at all');
    await forEvery(over, async (route) => {
      for (const bad of badOf(route)) {
        const answer = await call(dms, route, fixtures, bad);
        assert.equal(answer.status, status, `${bad.what} was answered ${answer.status} ${answer.text}`);
      }
    });
  }

  /** The request line and headers of the valid request of a route, with a key. */
  function head(route: Route, fields: Record<string, string | number>): string {
    const token = tokens[route.auth];
    const headers = { Host: 'test', Authorization: `Bearer ${token}`, Connection: 'close', ...fields };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return `${[`${route.method} ${pathOf(route, fixtures)} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  }

  const bodyOf = (route: Route) => JSON.stringify(exampleBody(route, fixtures));
  /** The valid body, filled up to the size with white space. */
  const padded = (route: Route, bytes: number) => Buffer.from(bodyOf(route).padEnd(bytes));

  describe('with a bad body', () => {
    it('refuses a bad body in every operation, names the wrong field and changes nothing', () =>
      unchanged(() =>
        forEvery(jsonRoutes, async (route) => {
          const body = withKey(exampleBody(route, fixtures), 'surprise', 1);
          const answer = await call(dms, route, fixtures, { body });
          assert.equal(answer.status, 400);
          assert.match(answer.body.message, /surprise/);
        }),
      ));

    it('answers 400 to a body that is not a JSON object in UTF-8, or is nested too deeply', () =>
      unchanged(() =>
        refused(kinds, 400, () =>
          [...UNREADABLE, ...TOO_DEEP].map((body) => raw(body.toString().slice(0, 40), body)),
        ),
      ));

    it('names the path of refused text, shortened if it is long', async () => {
      for (const [body, place] of [
        [{ name: 'a\u0000' }, 'name'],
        [{ alerts: [{ limits: ['x', LONE_SURROGATE] }] }, 'alerts[0].limits[1]'],
      ] as const) {
        const { status, body: answer } = await dms.api.post('/assets', body);
        assert.equal(status, 400);
        assert.match(answer.message, new RegExp(`^${place.replace(/[[\].]/g, '\\$&')} must hold no NUL`));
      }
      const { status, body } = await dms.api.post('/assets', { ['k'.repeat(100_000)]: '\u0000' });
      assert.deepEqual([status, body.message.length < 300], [400, true]);
    });

    it('never quotes a refused value', async () => {
      const own = await dms.addOrganization();
      const its = await populate(own);
      await forEvery(bodyRoutes, async (route) => {
        const example = exampleBody(route, its);
        const texts = [...places(example)].filter(([, value]) => typeof value === 'string');
        for (const [at] of texts)
          for (const by of [`<quoted>${' '.repeat(200)}`, ' \t ']) {
            const body = replacedAt(example, at, by);
            const byShape = await refusalOfBody(route, JSON.stringify(body));
            // Only bodies of a valid shape need the handler, which may refuse them or not.
            const message = byShape?.message ?? (await call(own, route, its, { body })).body?.message ?? '';
            assert.doesNotMatch(message, /<quoted>|with value/, `${at.join('.')} of ${route.operationId}`);
          }
      });
      await untilJobsStarted(dms.service.sql);
    });
  });

  describe('with a body of another size', () => {
    it('accepts a body of up to 1 MiB', async () => {
      const own = await dms.addOrganization();
      const its = await populate(own);
      await forEvery(kinds.filter(takesJson), async (route) => {
        const { status, text } = await call(own, route, its, raw('1 MiB', padded(route, BODY_BYTES_MAX)));
        assert.ok(status < 300 || status === 404 || status === 409, `${status} ${text}`);
      });
      await untilJobsStarted(dms.service.sql);
    });

    it('answers 413 above 1 MiB, with a Content-Length and chunked', () =>
      unchanged(async () => {
        await refused(kinds, 413, (route) => [raw('one byte more', padded(route, BODY_BYTES_MAX + 1))]);
        await forEvery(kinds, async (route) =>
          assertError(await sendChunked(route, padded(route, BODY_BYTES_MAX + 1)), 413),
        );
        const [one] = kinds as [Route];
        await refused([one], 413, (route) => [raw('twice as much', padded(route, 2 * BODY_BYTES_MAX))]);
        assertError(await sendChunked(one, padded(one, 8 * BODY_BYTES_MAX)), 413);
      }));

    function sendChunked(route: Route, payload: Buffer): Promise<RawAnswer | null> {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      const size = `${payload.length.toString(16)}\r\n`;
      return exchange(dms.baseUrl, [head(route, fields), size, payload, '\r\n0\r\n\r\n']);
    }

    it('lets a client read 413 that sends its whole body first', async () => {
      for (const route of [...kinds.slice(0, 2), ...routes.filter(({ rawBody }) => rawBody)]) {
        const size = 4 * (route.rawBody?.maxBytes ?? 4 * BODY_BYTES_MAX);
        const type = route.rawBody?.contentType ?? 'application/json';
        const body = Buffer.alloc(size, '%PDF-1.4 ');
        const length = head(route, { 'Content-Type': type, 'Content-Length': size });
        assertError(await sendBeforeReading(dms.baseUrl, [length, body]), 413, route.operationId);
        const chunked = head(route, { 'Content-Type': type, 'Transfer-Encoding': 'chunked' });
        const chunks = [chunked, `${size.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];
        assertError(await sendBeforeReading(dms.baseUrl, chunks), 413, `${route.operationId}, chunked`);
      }
    });
  });

  describe('with another media type', () => {
    it('answers 415 to all but application/json in UTF-8, uncompressed', () =>
      unchanged(async () => {
        await refused(kinds, 415, (route) => [
          ...BAD_TYPES.map((type) => raw(`type "${type}"`, bodyOf(route), { 'content-type': type })),
          ...BAD_ENCODINGS.map((encoding) => raw(encoding, bodyOf(route), { 'content-encoding': encoding })),
        ]);
        await forEvery(kinds, async (route) => {
          const text = bodyOf(route);
          const answer = await exchange(dms.baseUrl, [head(route, { 'Content-Length': text.length }), text]);
          assertError(answer, 415, 'without a media type');
        });
      }));

    it('accepts charset=utf-8 in any case or as utf8, and other parameters', async () => {
      for (const type of [
        'application/json; charset=UTF-8',
        'Application/JSON;charset="utf-8"',
        'application/json; charset=utf8',
        'application/json;odata.metadata=minimal; q="a;b"',
      ]) {
        const headers = { 'content-type': type };
        const { status } = await dms.api.post('/assets', { serialNumber: randomUUID() }, { headers });
        assert.equal(status, 201, type);
      }
    });

    it('takes the last value of a name that a body repeats', async () => {
      const { api } = await dms.addOrganization();
      const { status, body } = await api.post('/groups', undefined, {
        raw: '{"name":"First","name":"Last"}',
      });
      assert.deepEqual([status, body.name], [201, 'Last']);
    });

    it('reads a body without content without a media type', async () => {
      const path = `/webhooks/${randomUUID()}/test`;
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'none']) {
        const { status } = await dms.api.post(path, undefined, {
          raw: '',
          headers: { 'content-type': type },
        });
        assert.equal(status, 404, type);
      }
      const empty = await dms.api.post('/assets/import', undefined, { raw: '', headers: {} });
      assert.equal(empty.status, 400, 'a file is missing');
    });

    it('answers 415 to text in another charset, and names the accepted one', async () => {
      const rows = 'serialNumber,name\nLATIN-1,K\u00fchlraum\n';
      for (const charset of ['iso-8859-1', '"windows-1252"', 'utf-16']) {
        const options = { raw: rows, headers: { 'content-type': `text/csv; charset=${charset}` } };
        const { status, body } = await dms.api.post('/assets/import', undefined, options);
        assert.equal(status, 415, charset);
        assert.match(body.message, /in UTF-8$/);
      }
      for (const type of [
        'text/csv;charset=UTF-8',
        'text/csv; header=present',
        'application/json; charset=utf-8',
      ]) {
        const options = { raw: type.startsWith('text') ? rows : '[]', headers: { 'content-type': type } };
        const { status } = await dms.api.post('/assets/import', undefined, options);
        assert.notEqual(status, 415, type);
      }
    });

    it('answers 415 to a file of another media type', () =>
      refused(
        routes.filter(({ rawBody }) => rawBody !== undefined && !rawBody.otherTypes),
        415,
        () =>
          ['application/json', 'text/plain', 'application/pdfx', ''].map((type) =>
            raw(`type "${type}"`, '%PDF-1.4', { 'content-type': type }),
          ),
      ));
  });

  it('answers 400 to a body that is cut off: by its length, within a chunk, or by a malformed chunk', () =>
    unchanged(async () => {
      const start = '{"serialNumber":"CUT';
      const json = { 'Content-Type': 'application/json' };
      const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
      await forEvery(kinds, async (route) => {
        for (const [fields, text, end] of [
          [{ ...json, 'Content-Length': 500 }, start, true],
          [chunked, `50\r\n${start}`, true],
          [chunked, `zz\r\n${start}`, false],
        ] as const)
          assertError(await exchange(dms.baseUrl, [head(route, fields), text], { end }), 400, text);
      });
    }));

  describe('with a bad path', () => {
    /** Serial numbers of these tests belong to unregistered devices, and may be removed. */
    const namingRoutes = () =>
      routes.filter((each) => slotsOf(each).length > 0 && each.operationId !== 'removeUnregisteredDevice');
    const withName = (route: Route, slot: string, name: string): Bad => ({
      what: `${slot} = ${name.slice(0, 40)}`,
      path: pathOf(route, fixtures, { [slot]: name }),
    });

    it('answers 404 when a parameter names nothing, with any characters', async () => {
      // Paths that the shape of the parameters refuses are sent only to the first route with such a
      // parameter.
      const seen = new Set<string>();
      await unchanged(() =>
        forEvery(namingRoutes(), async (route) => {
          for (const slot of slotsOf(route)) {
            const isFirst = !seen.has(slot);
            seen.add(slot);
            for (const name of BAD_NAMES) {
              const names = Object.fromEntries(
                slotsOf(route).map((each) => [each, nameFor(route, each, fixtures)]),
              );
              const refusal = await refusalOfPath(route, { ...names, [slot]: name });
              assert.ok(refusal === null || refusal.status === 404, name);
              if (isFirst || refusal === null)
                await refused([route], 404, () => [withName(route, slot, name)]);
            }
          }
        }),
      );
    });

    it('answers 404 to additional or other segments', () =>
      refused(routes, 404, (route) => {
        const [path = ''] = pathOf(route, fixtures).split('?');
        // `/assets/import;v=1` may be a device.
        const withParameter = route.operationId === 'importAssets' ? [] : [`${path};v=1`];
        return [`${path}/`, `${path}/more/segments/here`, `/x${path}`, ...withParameter, `//x${path}`].map(
          (bad) => ({ what: bad, path: bad }),
        );
      }));

    it('answers 404 to an id of another kind, or of the other collection', () =>
      unchanged(async () => {
        const siblings = [...Object.values(fixtures.webhookIds), ...Object.values(fixtures.deliveryIds)];
        const othersOf = (names: string[]) => (route: Route) =>
          slotsOf(route).flatMap((slot) =>
            names
              .filter((name) => name !== nameFor(route, slot, fixtures))
              .map((name) => withName(route, slot, name)),
          );
        const ofEndpoints = namingRoutes().filter(({ path }) => path.includes('{webhookId}'));
        await refused(ofEndpoints, 404, othersOf(siblings));
        const rest = namingRoutes().filter((route) => !ofEndpoints.includes(route));
        await refused(
          oneOfEach(rest, (route) => slotsOf(route).join()),
          404,
          othersOf(namesIn(fixtures)),
        );
      }));

    it('answers 404 and applies nothing when the body names a device of another organization', () =>
      unchanged(() =>
        refused(
          routes.filter(({ operationId }) => operationId === 'applyProfile'),
          404,
          () => [
            { what: 'the foreign serial', body: { serialNumbers: [foreign.serial] } },
            { what: 'among own ones', body: { serialNumbers: [fixtures.serial, foreign.serial] } },
          ],
        ),
      ));
  });

  describe('with a bad query', () => {
    const asked = (route: Route, text: string): Bad => {
      const path = pathOf(route, fixtures);
      return { what: text, path: `${path}${path.includes('?') ? '&' : '?'}${text}` };
    };

    it('refuses a bad query in every operation', () =>
      unchanged(() => refused(routes, 400, (route) => [asked(route, 'surprise=1')])));

    it('answers 400 to every kind of fault in a query', () =>
      unchanged(() => {
        const isFull = (route: Route) => ['cursor', 'status'].every((key) => keysOf(route).includes(key));
        const some = oneOfEach(routes, (route) => `${isFull(route)} ${route.auth}`);
        return refused(some, 400, (route) =>
          Object.values(BAD_QUERIES).flatMap((queriesOf) =>
            queriesOf(keysOf(route)).map((text) => asked(route, text)),
          ),
        );
      }));
  });

  describe('in its message', () => {
    const says = ({ status, body }: Answer, message: RegExp) => {
      assert.equal(status, 400);
      assert.match(body.message ?? '', message);
    };

    it('says that a query must be UTF-8, and takes a percent sign that encodes nothing', async () => {
      for (const text of ['%ff', '%ED%A0%80', '%C3'])
        says(await dms.api.get(`/assets?q=${text}`), /^The query must be text in UTF-8$/);
      for (const text of ['100%', '%zz', '%EF%BF%BD', '%C3%A9'])
        assert.equal((await dms.api.get(`/assets?q=${text}`)).status, 200, text);
    });

    it('says that a query parameter must be given once', async () => {
      says(await dms.api.get('/assets?limit=1&limit=2'), /^limit must be given once$/);
      says(await dms.api.get('/webhooks?status=active&status=active'), /^status must be given once$/);
      says(await dms.api.get('/assets?unknown=1&unknown=2'), /^unknown is not allowed$/);
    });

    it('says that an id is required', async () => {
      const id = /^groupId must be an id, such as [0-9a-f-]{36}$/;
      says(await dms.api.post('/assets', { serialNumber: 'A-1', groupId: 'fridges' }), id);
      says(await dms.api.get('/assets?groupId=fridges'), id);
    });

    it('says that a field has no name', async () => {
      says(
        await dms.api.post('/groups', { name: 'Fridges', '': 1 }),
        /^a field without a name is not allowed$/,
      );
      says(await dms.api.get('/fleet?=1'), /^a parameter without a name is not allowed$/);
    });
  });

  describe('with random input', () => {
    let own: TestOrganization;
    let its: Fixtures;
    before(async () => {
      own = await dms.addOrganization();
      its = await populate(own);
    });

    /** The status is below 500; the client checks that the response matches its schema. */
    const survives = async (route: Route, change: Parameters<typeof call>[3]) => {
      const { status, text } = await call(own, route, its, change);
      assert.ok(status < 500, `${status} ${text}`);
    };
    const anyRoute = () => fc.constantFrom(...routes);
    const text = () => fc.string({ unit: fc.oneof(fc.constant('\u0000'), fc.string({ unit: 'binary' })) });
    const encoded = () => text().map((each) => encodeURIComponent(each.toWellFormed()));

    it('never fails on a random body', async () => {
      const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>, text(), fc.double());
      const changes = fc.constantFrom(...jsonRoutes).chain((route) => {
        const example = exampleBody(route, its);
        const mutated = fc
          .tuple(fc.constantFrom(...[...places(example)].map(([at]) => at)), value)
          .map(([at, by]) => JSON.stringify(replacedAt(example, at, by)) ?? '');
        const bytes = fc.uint8Array({ maxLength: 64 }).map((each) => Buffer.from(each));
        return fc.tuple(
          fc.constant(route),
          fc.oneof<fc.Arbitrary<string | Buffer>[]>(mutated, mutated, bytes),
        );
      });
      // Most are refused by their shape, which request-shapes.test.ts tests by the thousand.
      await fc.assert(
        fc.asyncProperty(changes, ([route, payload]) => survives(route, { options: { raw: payload } })),
        { numRuns: 100 },
      );
    });

    it('never fails on a random query', async () => {
      const key = fc.oneof(
        fc.constantFrom('limit', 'cursor', 'status', 'state', 'model', 'model-name', 'dryRun', '__proto__'),
        encoded(),
      );
      const part = fc.oneof(
        encoded(),
        fc.constantFrom('%', '%zz', '%ff', '1', '0', 'true', '', randomUUID()),
      );
      const queries = fc.array(
        fc.tuple(key, part).map(([a, b]) => `${a}=${b}`),
        { maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(anyRoute(), queries, (route, parts) =>
          survives(route, { path: `${pathOf(route, its)}?${parts.join('&')}` }),
        ),
        { numRuns: 100 },
      );
    });

    it('never fails on a random path', async () => {
      const segment = fc.oneof(
        encoded(),
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
        fc.asyncProperty(fc.oneof(paths, free), ({ route, path }) => survives(route, { path })),
        { numRuns: 100 },
      );
    });
  });
});
