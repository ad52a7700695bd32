/**
 * A bad request gets the common error body with the reason and changes nothing: tested over every operation in the
 * service's own list of routes.
 */
import assert from 'node:assert/strict';
import type { Route } from '../../src/http/route.ts';
import { databaseContents, untilJobsStarted } from '../support/database-contents.ts';
import {
  type Change,
  call,
  exampleBody,
  type Fixtures,
  forEvery,
  pathOf,
  populate,
  takesJson,
} from '../support/operations.ts';
import { exchange, type RawAnswer } from '../support/raw-socket.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

export const LONE_SURROGATE = '\ud800';

export interface Bad extends Change {
  what: string;
}

/** Registers the hooks of a suite. */
export function useBadInput() {
  let dms: TestService;
  let org: TestOrganization;
  let fixtures: Fixtures;
  let foreign: Fixtures;
  let token: string;
  let deviceToken: string;
  let routes: Route[];
  /** New test data for the next test, because this one changed it. */
  let isSpoilt = true;

  before(async () => {
    dms = await startService({ withWorker: false });
    routes = dms.service.routes;
    const other = await dms.addOrganization();
    foreign = await populate(other);
    // Makes the partition of the readings in the example, which a bad request for them would make otherwise.
    const measuring = routes.find(({ operationId }) => operationId === 'sendMeasurements') as Route;
    assert.equal((await call(other, measuring, foreign, {})).status, 202);
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

  /** The work leaves the database unchanged. */
  async function unchanged(work: () => Promise<void>): Promise<void> {
    const before = await databaseContents(dms.service.sql);
    isSpoilt = true;
    await work();
    assert.deepEqual(await databaseContents(dms.service.sql), before);
    isSpoilt = false;
  }

  /** The request line and headers of the valid request of a route, with a key. */
  function head(route: Route, fields: Record<string, string | number>): string {
    const key = route.auth === 'customer' ? token : deviceToken;
    const headers = { Host: 'test', Authorization: `Bearer ${key}`, Connection: 'close', ...fields };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return `${[`${route.method} ${pathOf(route, fixtures)} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  }

  return {
    get dms() {
      return dms;
    },
    get org() {
      return org;
    },
    get fixtures() {
      return fixtures;
    },
    /** Of another organization. */
    get foreign() {
      return foreign;
    },
    get token() {
      return token;
    },
    get routes() {
      return routes;
    },
    /** All operations that read JSON: those without a body refuse one. */
    get jsonRoutes() {
      return routes.filter(({ method, rawBody }) => method !== 'GET' && rawBody === undefined);
    },
    get bodyRoutes() {
      return routes.filter(takesJson);
    },
    /** The next test gets new test data. */
    spoil(): void {
      isSpoilt = true;
    },
    unchanged,
    head,

    /** Each bad request is answered with the status and leaves the database unchanged. */
    async refused(over: Route[], status: number, badOf: (route: Route) => Bad[]): Promise<void> {
      assert.ok(over.length > 0, 'over no operation at all');
      await unchanged(() =>
        forEvery(over, async (route) => {
          for (const bad of badOf(route)) {
            const answer = await call(org, route, fixtures, bad);
            assert.equal(answer.status, status, `${bad.what} was answered ${answer.status} ${answer.text}`);
          }
        }),
      );
    },

    /** One bad request for every place in the example that passes the filter. */
    changedPlaces(
      route: Route,
      takes: (value: unknown) => boolean,
      changesOf: (value: unknown, at: Place) => unknown[],
    ): Bad[] {
      const example = exampleBody(route, fixtures);
      return [...places(example)]
        .filter(([, value]) => takes(value))
        .flatMap(([at, value]) =>
          changesOf(value, at).map((changed) => ({
            what: `${at.join('.') || 'the body'} = ${JSON.stringify(changed)?.slice(0, 80)}`,
            body: replacedAt(example, at, changed),
          })),
        );
    },

    /** The valid body with white space after it, up to the size. */
    padded(route: Route, bytes: number): Buffer {
      const text = JSON.stringify(exampleBody(route, fixtures));
      return Buffer.concat([Buffer.from(text), Buffer.alloc(bytes - Buffer.byteLength(text), ' ')]);
    },

    async sendChunked(route: Route, payload: Buffer): Promise<RawAnswer | null> {
      const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      const size = `${payload.length.toString(16)}\r\n`;
      return exchange(dms.baseUrl, [head(route, fields), size, payload, '\r\n0\r\n\r\n']);
    },
  };
}

type Place = Array<string | number>;

/** The value itself and everything in it. */
export function* places(value: unknown, at: Place = []): Generator<[Place, unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* places(inner, [...at, key]);
}

export function replacedAt(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (copy as Record<string, unknown>)[key];
  return Object.assign(copy, { [key]: replacedAt(inner, rest, by) });
}

/** As JSON.parse creates it: `__proto__` is an ordinary key. */
export const withKey = (value: unknown, key: string, inner: unknown) =>
  Object.fromEntries([...Object.entries(value as object), [key, inner]]);

export const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const raw = (what: string, payload: string | Buffer, headers?: Record<string, string>): Bad => ({
  what,
  options: { raw: payload, headers },
});

export function assertError(answer: RawAnswer | null, status: number, what = ''): void {
  assert.ok(answer, `closed without an answer ${what}`);
  assert.equal(answer.status, status, `${what} ${answer.body}`);
  const body = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(body).sort(), ['message', 'success']);
  assert.equal(body.success, false);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.match(answer.headers['request-id'] ?? '', /^[A-Za-z0-9_-]{1,64}$/);
  assert.match(answer.headers.link ?? '', /^<\/docs\/errors#[a-z-]+>; rel="help"$/);
}
