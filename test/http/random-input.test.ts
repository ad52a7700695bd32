/** Random bodies, queries and paths, over every operation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';
import {
  type Change,
  call,
  exampleBody,
  type Fixtures,
  pathOf,
  populate,
  slotsOf,
} from '../support/operations.ts';
import type { TestOrganization } from '../support/service.ts';
import { places, replacedAt, useBadInput } from './harness.ts';

describe('Random input', () => {
  const input = useBadInput();

  describe('random input', () => {
    let own: TestOrganization;
    let its: Fixtures;
    before(async () => {
      own = await input.dms.addOrganization();
      its = await populate(own);
    });

    /** The status is below 500; the client checks that the response matches its schema. */
    const survives = (change: Change, route: Route) =>
      call(own, route, its, change).then(({ status, text }) => assert.ok(status < 500, `${status} ${text}`));
    const anyRoute = () => fc.constantFrom(...input.routes);
    const text = () => fc.string({ unit: fc.oneof(fc.constant('\u0000'), fc.string({ unit: 'binary' })) });
    const value = () => fc.oneof(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>, text(), fc.double());

    it('never fails on a random body', async () => {
      const changes = fc.constantFrom(...input.jsonRoutes).chain((route) => {
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
        fc.asyncProperty(
          fc.constantFrom(...input.jsonRoutes),
          fc.uint8Array({ maxLength: 64 }),
          (route, bytes) => survives({ options: { raw: Buffer.from(bytes) } }, route),
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
