/** Bad paths and queries, over every operation. */
import { randomUUID } from 'node:crypto';
import type { Route } from '../../src/http/route.ts';
import { nameFor, namesIn, pathOf, slotsOf } from '../support/operations.ts';
import { type Bad, useBadInput } from './harness.ts';

const KIBIBYTE = 1024;

describe('Bad paths and queries', () => {
  const input = useBadInput();
  const { refused } = input;

  describe('the path', () => {
    const slotRoutes = () => input.routes.filter((route) => slotsOf(route).length > 0);
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
            path: pathOf(route, input.fixtures, { [slot]: name }),
          })),
        ),
      ));

    it('answers 404 to a path with additional or other segments', () =>
      refused(input.routes, 404, (route) => {
        const [path = ''] = pathOf(route, input.fixtures).split('?');
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
          const others = namesIn(input.fixtures).filter((id) => id !== nameFor(route, slot, input.fixtures));
          return others.map((id) => ({
            what: `${slot} = ${id}`,
            path: pathOf(route, input.fixtures, { [slot]: id }),
          }));
        }),
      ));

    it('answers 404 and applies nothing when the body names a device of another organization', () =>
      refused(
        input.routes.filter(({ operationId }) => operationId === 'applyProfile'),
        404,
        () => [
          { what: 'the input.foreign serial', body: { serialNumbers: [input.foreign.serial] } },
          { what: 'among own ones', body: { serialNumbers: [input.fixtures.serial, input.foreign.serial] } },
        ],
      ));
  });

  describe('the query', () => {
    const keysOf = ({ query: schema }: Route): string[] =>
      Object.keys((schema?.describe() as { keys?: object } | undefined)?.keys ?? {});
    const asked = (route: Route, text: string): Bad => ({
      what: text,
      path: `${pathOf(route, input.fixtures)}?${text}`,
    });

    it('answers 400 to unknown query parameters', () =>
      refused(input.routes, 400, (route) =>
        ['surprise=1', 'surprise', '=1', 'Limit=1', 'limit%5B%5D=1', '%zz=1', '%F0%9F%8C%A1=1'].map((text) =>
          asked(route, text),
        ),
      ));

    it('answers 400 to __proto__ and similar query parameters', () =>
      refused(input.routes, 400, (route) =>
        ['__proto__=1', '__proto__%5Bx%5D=1', 'constructor=1', 'prototype=1', 'toString=1', '__proto__'].map(
          (text) => asked(route, text),
        ),
      ));

    it('answers 400 to repeated query parameters', () =>
      refused(
        input.routes.filter((route) => keysOf(route).length > 0),
        400,
        (route) => keysOf(route).map((key) => asked(route, `${key}=1&${key}=1`)),
      ));

    it('answers 400 to query parameters without a value', () =>
      refused(
        input.routes.filter((route) => keysOf(route).length > 0),
        400,
        (route) => keysOf(route).flatMap((key) => [asked(route, key), asked(route, `${key}=`)]),
      ));

    it('answers 400 to text with a NUL character', () =>
      refused(input.routes, 400, (route) =>
        ['surprise', ...keysOf(route)].flatMap((key) => [
          asked(route, `${key}=%00`),
          asked(route, `${key}=1%00`),
          asked(route, `%00${key}=1`),
        ]),
      ));

    it('accepts only whole numbers from 1 to 500 as limit', () =>
      refused(
        input.routes.filter((route) => keysOf(route).includes('limit')),
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
            '1e2',
            '10.0',
            '%2B10',
            '%2010',
            '1e999',
            '9'.repeat(400),
            '9007199254740993',
            '1,2',
            '1;2',
            '%EF%BC%91',
            '--1',
          ].map((text) => asked(route, `limit=${text}`)),
      ));

    it('accepts only what a list has given out as cursor', () =>
      refused(
        input.routes.filter((route) => keysOf(route).includes('cursor')),
        400,
        (route) =>
          ['1', 'abc', '-', `${randomUUID()}x`, '{}', '%27', randomUUID().replaceAll('-', '')].map((text) =>
            asked(route, `cursor=${text}`),
          ),
      ));

    it('accepts only the listed values of an enumeration', () =>
      refused(
        input.routes.filter((route) =>
          ['status', 'state', 'dryRun'].some((key) => keysOf(route).includes(key)),
        ),
        400,
        (route) =>
          keysOf(route)
            .filter((key) => ['status', 'state', 'dryRun'].includes(key))
            .flatMap((key) =>
              ['nonsense', 'ACTIVE', '1', 'null', '__proto__'].map((word) => asked(route, `${key}=${word}`)),
            ),
      ));
  });
});
