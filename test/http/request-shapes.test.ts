/**
 * The shapes of requests, over every route and every place in its example. Nothing is sent, since all routes
 * read and validate with the same functions; bad-requests.test.ts proves over HTTP that each of them does.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';
import {
  exampleBody,
  type Fixtures,
  forEvery,
  hasExample,
  KNOWN_SLOTS,
  slotsOf,
  takesJson,
} from '../support/operations.ts';
import {
  AS_DEEP_AS_ALLOWED,
  BAD_QUERIES,
  keysOf,
  LONE_SURROGATE,
  TOO_DEEP,
  UNREADABLE,
} from './bad-examples.ts';
import { isObject, places, replacedAt, withKey } from './harness.ts';
import { allRoutes, refusalOfBody, refusalOfQuery } from './request-reader.ts';

/** Fields that accept null as a value; test/keys/keys-api.test.ts tests that a customer key needs a role. */
const TAKE_NULL = [
  'quietHours',
  'reminderMinutes',
  'repeatMinutes',
  'profileSlug',
  'createKey.role',
  'createNotificationChannel.name',
  'updateNotificationChannel.name',
  'assignee',
  'snoozeUntil',
];
const NAMED = {
  slug: 'guard',
  serial: 'DEVICE-1',
  groupId: randomUUID(),
  assetId: randomUUID(),
  escalationChannelId: randomUUID(),
} as Fixtures;
const RUNS = 3_000;

describe('The shape of a request', () => {
  const routes = allRoutes();
  const jsonRoutes = routes.filter(({ method, rawBody }) => method !== 'GET' && rawBody === undefined);
  const bodyRoutes = routes.filter(takesJson);
  const textOf = (body: unknown) => JSON.stringify(body);
  const takesNull = ({ operationId }: Route, field: string) =>
    TAKE_NULL.includes(field) || TAKE_NULL.includes(`${operationId}.${field}`);

  /** One body for every place in the example that passes the filter. */
  function changedPlaces(
    route: Route,
    takes: (value: unknown) => boolean,
    changesOf: (value: unknown, at: Array<string | number>) => unknown[],
  ): string[] {
    const example = exampleBody(route, NAMED);
    return [...places(example)]
      .filter(([, value]) => takes(value))
      .flatMap(([at, value]) =>
        changesOf(value, at).map((changed) => textOf(replacedAt(example, at, changed))),
      );
  }

  /** Checks that each body is refused with 400. */
  const refused = (over: Route[], bodiesOf: (route: Route) => Array<string | Buffer>) =>
    forEvery(over, async (route) => {
      for (const body of bodiesOf(route)) {
        const refusal = await refusalOfBody(route, body);
        assert.equal(refusal?.status, 400, `${body.toString().slice(0, 200)}: ${refusal?.message}`);
      }
    });

  it('finds an example of every body in test/support/operations.ts', () => {
    const missing = routes.filter((route) => !hasExample(route)).map(({ operationId }) => operationId);
    assert.deepEqual(missing, [], 'add these to BODIES');
    const unknown = routes.flatMap(slotsOf).filter((slot) => !KNOWN_SLOTS.includes(slot));
    assert.deepEqual([...new Set(unknown)], [], 'make these in populate');
  });

  it('accepts the example of every body', () =>
    forEvery(bodyRoutes, async (route) => {
      assert.equal(await refusalOfBody(route, textOf(exampleBody(route, NAMED))), null);
    }));

  it('refuses with 400 a body that is not a JSON object in UTF-8', () =>
    refused(jsonRoutes, () => UNREADABLE));

  it('accepts 32 levels of nesting, and refuses more with 400', async () => {
    await refused(jsonRoutes.slice(0, 1), () => TOO_DEEP);
    const refusal = await refusalOfBody(jsonRoutes[0] as Route, AS_DEEP_AS_ALLOWED);
    assert.match(refusal?.message ?? '', /surprise is not allowed/);
  });

  it('refuses with 400 fields of the wrong type, without converting strings and numbers', () => {
    const wrong: Record<string, unknown[]> = {
      string: [1, true, null, {}, []],
      number: ['1', '', true, null, {}, []],
      boolean: ['true', 1, 0, null, {}],
      array: ['text', 1, {}, null],
      object: ['text', 1, [], null],
    };
    const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
    return refused(bodyRoutes, (route) =>
      changedPlaces(
        route,
        () => true,
        (value, at) =>
          (wrong[typeOf(value)] as unknown[]).filter((by) => by !== null || !takesNull(route, String(at))),
      ),
    );
  });

  it('refuses with 400 unknown fields at any level, __proto__ and similar names among them', () => {
    const names = ['surprise', '', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
    return refused(jsonRoutes, (route) =>
      changedPlaces(route, isObject, (value) =>
        names.flatMap((key) => [withKey(value, key, { polluted: true }), withKey(value, key, 'text')]),
      ),
    );
  });

  it('refuses with 400 an empty body of PUT and PATCH', () =>
    refused(
      bodyRoutes.filter(({ method }) => method === 'PUT' || method === 'PATCH'),
      () => ['{}', ''],
    ));

  it('refuses with 400 NUL characters and lone surrogates, in text and in the names of fields', async () => {
    const isText = (value: unknown) => typeof value === 'string';
    await refused(bodyRoutes, (route) =>
      changedPlaces(route, isText, (text) => [
        ...['\u0000', `${text}\u0000`, `a\u0000${text}`],
        ...[LONE_SURROGATE, `${text}\udfff`, `\udbff${text}`],
      ]),
    );
    await refused(jsonRoutes, (route) =>
      changedPlaces(route, isObject, (value) => [
        withKey(value, LONE_SURROGATE, 1),
        withKey(value, '\u0000', 1),
      ]),
    );
  });

  for (const [what, queriesOf] of Object.entries(BAD_QUERIES)) {
    it(`refuses with 400 ${what}`, () =>
      forEvery(routes, async (route) => {
        for (const text of queriesOf(keysOf(route))) {
          const refusal = await refusalOfQuery(route, text);
          assert.equal(refusal?.status, 400, `${text.slice(0, 80)}: ${refusal?.message}`);
        }
      }));
  }

  it('refuses random bodies with 400, if at all', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>,
      fc.string({ unit: 'binary' }),
      fc.double(),
    );
    const bodies = fc.constantFrom(...jsonRoutes).chain((route) => {
      const example = exampleBody(route, NAMED);
      const mutated = fc
        .tuple(fc.constantFrom(...[...places(example)].map(([at]) => at)), value)
        .map(([at, by]) => textOf(replacedAt(example, at, by)) ?? '');
      const bytes = fc.uint8Array({ maxLength: 64 }).map((each) => Buffer.from(each));
      return fc.tuple(
        fc.constant(route),
        fc.oneof<fc.Arbitrary<string | Buffer>[]>(
          mutated,
          mutated,
          value.map((each) => textOf(each) ?? ''),
          bytes,
        ),
      );
    });
    await fc.assert(
      fc.asyncProperty(bodies, async ([route, body]) => {
        const refusal = await refusalOfBody(route, body);
        assert.ok(refusal === null || refusal.status === 400, `${refusal?.status} ${refusal?.message}`);
      }),
      { numRuns: RUNS },
    );
  });
});
