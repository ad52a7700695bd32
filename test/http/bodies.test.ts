/** Bodies of the wrong shape, or with text that cannot be stored, over every operation. */
import assert from 'node:assert/strict';
import { call, exampleBody, forEvery, hasExample, KNOWN_SLOTS, slotsOf } from '../support/operations.ts';
import { isObject, LONE_SURROGATE, raw, useBadInput, withKey } from './harness.ts';

/** Fields whose null is a value of its own. */
const TAKE_NULL = new Set(['quietHours', 'reminderMinutes', 'profileSlug']);

describe('Bad bodies', () => {
  const input = useBadInput();
  const { refused, changedPlaces } = input;

  describe('the examples of these tests', () => {
    it('contain a body for every operation that has one', () => {
      assert.deepEqual(
        input.routes.filter((route) => !hasExample(route)).map(({ operationId }) => operationId),
        [],
        'add these to BODIES in test/support/operations.ts',
      );
    });

    it('contain a value for every path parameter', () => {
      const unknown = input.routes.flatMap(slotsOf).filter((slot) => !KNOWN_SLOTS.includes(slot));
      assert.deepEqual([...new Set(unknown)], [], 'make these in populate of test/support/operations.ts');
    });
  });

  describe('the shape of a body', () => {
    it('answers 400 to a body that is not an object', () =>
      refused(input.jsonRoutes, 400, () =>
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
      return refused(input.bodyRoutes, 400, (route) =>
        changedPlaces(
          route,
          () => true,
          (value, at) =>
            (wrong[typeOf(value)] as unknown[]).filter((by) => by !== null || !TAKE_NULL.has(String(at))),
        ),
      );
    });

    it('answers 400 to unknown fields at any level', () =>
      refused(input.jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) => [withKey(value, 'surprise', 1), withKey(value, '', 1)]),
      ));

    it('answers 400 to __proto__ and similar field names at any level', () =>
      refused(input.jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) =>
          ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].flatMap((key) => [
            withKey(value, key, { polluted: true }),
            withKey(value, key, 'text'),
          ]),
        ),
      ));

    it('names the wrong field in the message', async () => {
      await forEvery(input.jsonRoutes, async (route) => {
        const { body } = await call(input.org, route, input.fixtures, {
          body: withKey(exampleBody(route, input.fixtures), 'surprise', 1),
        });
        assert.match(body.message, /surprise/);
      });
    });

    it('answers 400 to an empty body of PUT and PATCH', () =>
      refused(
        input.bodyRoutes.filter(({ method }) => method === 'PUT' || method === 'PATCH'),
        400,
        () => [raw('{}', '{}'), raw('nothing', '')],
      ));
  });

  describe('the text in a body', () => {
    const isText = (value: unknown) => typeof value === 'string';

    it('answers 400 to text with a NUL character', () =>
      refused(input.bodyRoutes, 400, (route) =>
        changedPlaces(route, isText, (text) => ['\u0000', `${text}\u0000`, `a\u0000${text}`]),
      ));

    it('answers 400 to text with a lone surrogate', () =>
      refused(input.bodyRoutes, 400, (route) =>
        changedPlaces(route, isText, (text) => [LONE_SURROGATE, `${text}\udfff`, `\udbff${text}`]),
      ));

    it('never quotes the value that it refuses', async () => {
      await forEvery(input.bodyRoutes, async (route) => {
        const bad = changedPlaces(route, isText, () => [`<quoted>${' '.repeat(200)}`, ' \t ']);
        for (const { body: sent } of bad) {
          const { status, text } = await call(input.org, route, input.fixtures, { body: sent });
          if (status === 400)
            assert.doesNotMatch(text, /<quoted>|with value/, JSON.stringify(sent).slice(0, 200));
        }
      });
      input.spoil();
    });

    it('names the path of text that it refuses', async () => {
      for (const [body, place] of [
        [{ name: 'a\u0000' }, 'name'],
        [{ alerts: [{ limits: ['x', LONE_SURROGATE] }] }, 'alerts[0].limits[1]'],
      ] as const) {
        const { status, body: answer } = await input.dms.api.post('/assets', body);
        assert.equal(status, 400);
        assert.match(answer.message, new RegExp(`^${place.replace(/[[\].]/g, '\\$&')} must hold no NUL`));
      }
    });

    it('cuts a long path of refused text in the message', async () => {
      const { status, body } = await input.dms.api.post('/assets', { ['k'.repeat(100_000)]: '\u0000' });
      assert.deepEqual([status, body.message.length < 300], [400, true]);
    });

    it('answers 400 to NUL characters and lone surrogates in field names', () =>
      refused(input.jsonRoutes, 400, (route) =>
        changedPlaces(route, isObject, (value) => [
          withKey(value, LONE_SURROGATE, 1),
          withKey(value, '\u0000', 1),
        ]),
      ));

    it('answers 400 to a body that is not UTF-8', () =>
      refused(input.jsonRoutes, 400, () =>
        [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf]].map((bytes) =>
          raw(`bytes ${bytes}`, Buffer.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')])),
        ),
      ));

    it('answers 400 to a body that is not JSON', () =>
      refused(input.jsonRoutes, 400, () =>
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
});
