/** Guarantees of every operation, tested over the service's own list of routes. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { KeyKind, Route } from '../../src/http/route.ts';
import { formatKey } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createKeyIssuer } from '../../src/keys/keys.service.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import type { Answer } from '../support/client.ts';
import { databaseContents, untilJobsStarted } from '../support/database-contents.ts';
import { register } from '../support/fleet.ts';
import {
  call,
  exampleBody,
  type Fixtures,
  forEvery,
  nameFor,
  namesIn,
  pathOf,
  populate,
  removingLast,
  slotsOf,
  takesJson,
} from '../support/operations.ts';
import { exchange } from '../support/raw-socket.ts';
import { type TestOrganization, useService } from '../support/service.ts';

/** The operations of the customers' specification, with their success statuses (docs/contract.md). */
const SPECIFIED: Record<string, number> = {
  'GET /devices/config-profiles': 200,
  'POST /devices/config-profiles': 201,
  'GET /devices/config-profiles/{slug}': 200,
  'PUT /devices/config-profiles/{slug}': 200,
  'PUT /devices/config-profiles/{slug}/apply': 200,
  'GET /devices/{serial}/config': 200,
  'GET /assets': 200,
  'POST /assets': 201,
  'GET /assets/{assetId}': 200,
  'DELETE /assets/{assetId}': 200,
  'POST /assets/{assetId}/replace-hardware': 200,
  'GET /assets/{assetId}/calibration-certificate': 200,
  'GET /cellular-webhooks': 200,
  'POST /cellular-webhooks': 201,
  'GET /cellular-webhooks/{webhookId}': 200,
  'PATCH /cellular-webhooks/{webhookId}': 200,
  'DELETE /cellular-webhooks/{webhookId}': 204,
  'GET /webhooks': 200,
  'POST /webhooks': 201,
  'GET /webhooks/{webhookId}': 200,
  'PATCH /webhooks/{webhookId}': 200,
  'DELETE /webhooks/{webhookId}': 204,
};

/** Additional operations of docs/contract.md. */
const ADDED: Record<string, number> = {
  'GET /groups': 200,
  'POST /groups': 201,
  'GET /groups/{groupId}': 200,
  'PATCH /groups/{groupId}': 200,
  'DELETE /groups/{groupId}': 204,
  'POST /groups/{groupId}/add-members': 200,
  'POST /groups/{groupId}/remove-members': 200,
  'POST /groups/{groupId}/mute': 201,
  'DELETE /groups/{groupId}/mute': 204,
  'POST /assets/{assetId}/mute': 201,
  'DELETE /assets/{assetId}/mute': 204,
  'GET /notification-channels': 200,
  'POST /notification-channels': 201,
  'GET /notification-channels/{channelId}': 200,
  'PATCH /notification-channels/{channelId}': 200,
  'DELETE /notification-channels/{channelId}': 204,
  'POST /notification-channels/{channelId}/test': 200,
  'GET /devices/config-jobs': 200,
  'GET /devices/config-jobs/{jobId}': 200,
  'GET /devices/config-jobs/{jobId}/targets': 200,
  'POST /devices/config-jobs/{jobId}/cancel': 200,
  'POST /devices/config-jobs/{jobId}/retry': 201,
  'POST /devices/config-jobs/{jobId}/proceed': 200,
  'POST /devices/config-jobs/{jobId}/extend': 200,
  'POST /cellular-webhooks/{webhookId}/retry': 200,
  'POST /webhooks/{webhookId}/retry': 200,
  'POST /devices/{serial}/config/withdraw': 200,
  'GET /devices/{serial}/pending-config': 200,
  'POST /devices/{serial}/config-reports': 200,
  'POST /devices/{serial}/measurements': 202,
  'GET /assets/{assetId}/measurements': 200,
  'PATCH /assets/{assetId}': 200,
  'POST /assets/import': 200,
  'GET /fleet': 200,
  'GET /unregistered-devices': 200,
  'DELETE /unregistered-devices/{serial}': 204,
  'GET /assets/{assetId}/statistics': 200,
  'GET /assets/{assetId}/settings': 200,
  'GET /measurements': 200,
  'GET /alerts': 200,
  'GET /alerts/{alertId}': 200,
  'PATCH /alerts/{alertId}': 200,
  'POST /alerts/{alertId}/comments': 201,
  'PUT /assets/{assetId}/calibration-certificate': 200,
  'GET /cellular-webhooks/{webhookId}/deliveries': 200,
  'GET /cellular-webhooks/{webhookId}/deliveries/{deliveryId}': 200,
  'POST /cellular-webhooks/{webhookId}/deliveries/{deliveryId}/resend': 202,
  'POST /cellular-webhooks/{webhookId}/replay': 202,
  'POST /cellular-webhooks/{webhookId}/test': 200,
  'POST /cellular-webhooks/{webhookId}/rotate-secret': 200,
  'GET /webhooks/{webhookId}/deliveries': 200,
  'GET /webhooks/{webhookId}/deliveries/{deliveryId}': 200,
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend': 202,
  'POST /webhooks/{webhookId}/replay': 202,
  'POST /webhooks/{webhookId}/test': 200,
  'POST /webhooks/{webhookId}/rotate-secret': 200,
  'POST /assets/{assetId}/device-token': 201,
  'DELETE /assets/{assetId}/device-token': 204,
  'GET /keys': 200,
  'POST /keys': 201,
  'POST /operator-links': 201,
  'GET /operator-sessions': 200,
  'DELETE /operator-sessions/{sessionId}': 204,
  'POST /notification-channels/{channelId}/confirm-again': 202,
  'GET /escalations': 200,
  'POST /escalations': 201,
  'GET /escalations/{escalationId}': 200,
  'PATCH /escalations/{escalationId}': 200,
  'DELETE /escalations/{escalationId}': 204,
  'DELETE /keys/{keyId}': 204,
  'GET /audit': 200,
};

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const KEYLESS = ['/livez', '/readyz', '/openapi.json', '/docs'];
const REFUSED = { success: false, message: 'Invalid or inactive API key' };
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

const generateKey = (kind: KeyKind) => formatKey(kind, randomBytes(32));

describe('Every route', () => {
  const dms = useService({ withWorker: false });
  let routes: Route[];
  let fixtures: Fixtures;

  before(async () => {
    routes = dms.service.routes;
    fixtures = await populate(dms);
    await untilJobsStarted(dms.service.sql);
  });

  describe('in the list of operations', () => {
    it('serves all 22 operations of the specification', () => {
      assert.equal(Object.keys(SPECIFIED).length, 22);
      assert.deepEqual(
        Object.keys(SPECIFIED).filter((name) => !routes.some((route) => nameOf(route) === name)),
        [],
      );
    });

    it('serves the additional operations of the contract and no others', () => {
      const others = routes.map(nameOf).filter((name) => !Object.hasOwn(SPECIFIED, name));
      assert.deepEqual(
        others.sort(),
        Object.keys(ADDED).sort(),
        'an operation that contract.md adds is to be named in ADDED',
      );
    });

    it('answers a valid request with its success status', async () => {
      const needsMore = [
        'retryConfigJob',
        'proceedConfigJob',
        'getCalibrationCertificate',
        'confirmNotificationChannelAgain',
      ];
      const own = await dms.addOrganization();
      const its = await populate(own);
      const callable = routes.filter(({ operationId }) => !needsMore.includes(operationId));
      for (const route of removingLast(callable)) {
        const { status, text } = await call(own, route, its);
        assert.equal(status, { ...SPECIFIED, ...ADDED }[nameOf(route)], `${route.operationId} ${text}`);
        assert.equal(text === '', status === 204, route.operationId);
      }
    });

    it('documents its parameters, its key and the common error responses', async () => {
      const { body: document } = await dms.api.get('/openapi.json');
      const documented = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
        ([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      );
      assert.deepEqual(documented.sort(), routes.map(nameOf).sort());
      await forEvery(routes, async (route) => {
        const operation = document.paths[route.path][route.method.toLowerCase()];
        assert.equal(operation.operationId, route.operationId);
        assert.deepEqual(operation.security, [{ [`${route.auth}Key`]: [] }]);
        const inPath = operation.parameters.filter((each: { in: string }) => each.in === 'path');
        assert.deepEqual(
          inPath.map(({ name }: { name: string }) => name),
          slotsOf(route),
        );
        for (const status of [400, 401, 429, 500, 503]) assert.ok(operation.responses[status], `${status}`);
        assert.equal(operation.requestBody !== undefined, takesJson(route) || route.rawBody !== undefined);
      });
    });
  });

  describe('without a valid key', () => {
    const other: Record<KeyKind, KeyKind> = { customer: 'device', device: 'customer' };

    /** Each kind of key is checked by one function: here by the first route of each. */
    const oneOfEachKind = () =>
      (['customer', 'device'] as const).map((kind) => routes.find(({ auth }) => auth === kind) as Route);

    /** Checks for 401 with the common message; the request is otherwise valid. */
    const refusing = (
      authorizationOf: (kind: KeyKind) => string | null,
      { over = oneOfEachKind(), challenge = /^Bearer$/ } = {},
    ) =>
      forEvery(over, async (route) => {
        const authorization = authorizationOf(route.auth);
        const headers: Record<string, string> = authorization === null ? {} : { authorization };
        const client = dms.with(null);
        const answer = await call(dms, route, fixtures, { client, options: { headers } });
        assert.deepEqual({ status: answer.status, body: answer.body }, { status: 401, body: REFUSED });
        assert.match(String(answer.headers['www-authenticate']), challenge);
      });

    const issued = async (expiresAt: Date | null) => {
      const issuer = createKeyIssuer(createKeysRepository(dms.service.sql), Date.now);
      const issue = (kind: KeyKind) => issuer.issue({ organizationId: dms.id, kind, expiresAt });
      return { customer: await issue('customer'), device: await issue('device') };
    };

    it('answers 401 without a key', () => refusing(() => null, { over: routes }));

    it('answers 401 to a malformed key', async () => {
      for (const authorization of [
        'Bearer',
        'Bearer ',
        'Bearer x',
        'Bearer a b',
        'Token x',
        'Basic eDp5',
        'x',
      ]) {
        await refusing(() => authorization);
      }
    });

    it('answers 401 to a key with a wrong checksum', async () => {
      const keys = await issued(null);
      const mistyped = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
      await refusing((kind) => `Bearer ${mistyped(keys[kind].token)}`);
    });

    it('answers 401 to a key that was never issued', async () => {
      await refusing((kind) => `Bearer ${generateKey(kind)}`);
    });

    it('answers 401 to a revoked key', async () => {
      const keys = await issued(null);
      for (const { id } of Object.values(keys)) await createKeysRepository(dms.service.sql).revoke(id);
      await refusing((kind) => `Bearer ${keys[kind].token}`);
    });

    it('answers 401 to an expired key', async () => {
      const keys = await issued(new Date(Date.now() - HOUR_MS));
      await refusing((kind) => `Bearer ${keys[kind].token}`);
    });

    it('answers 401 to a key of the other kind, and says in a header that it is valid for other operations', async () => {
      const keys = await issued(null);
      await refusing((kind) => `Bearer ${keys[other[kind]].token}`, {
        over: routes,
        challenge: /^Bearer error="insufficient_scope"/,
      });
    });

    it('checks the key before everything else in the request', async () => {
      await forEvery(routes, async (route) => {
        const path = `${pathOf(route, fixtures, Object.fromEntries(slotsOf(route).map((slot) => [slot, '%00'])))}?x=1`;
        const options = { raw: '{', headers: { 'content-type': 'text/plain' } };
        const { status } = await call(dms, route, fixtures, { client: dms.with(null), path, options });
        assert.equal(status, 401);
      });
    });
  });

  describe('for things of another organization', () => {
    let foreign: Fixtures;
    before(async () => {
      foreign = await populate(await dms.addOrganization());
      await untilJobsStarted(dms.service.sql);
    });

    const seenIn = ({ status, body, headers }: Answer) => {
      const { date: _date, 'request-id': _id, ...rest } = headers;
      return { status, body, headers: rest };
    };

    it('answers 404 for things of another organization and does not change them', async () => {
      const before = await databaseContents(dms.service.sql);
      await forEvery(
        routes.filter((route) => slotsOf(route).length > 0),
        async (route) => {
          for (const slot of slotsOf(route)) {
            const sent = (name: string) =>
              call(dms, route, fixtures, { path: pathOf(route, fixtures, { [slot]: name }) });
            const unknown = await sent(randomUUID());
            assert.equal(unknown.status, 404);
            assert.deepEqual(seenIn(await sent(nameFor(route, slot, foreign))), seenIn(unknown), slot);
          }
        },
      );
      assert.deepEqual(await databaseContents(dms.service.sql), before);
    });

    it('lists no things of another organization', async () => {
      await forEvery(
        routes.filter((route) => route.method === 'GET' && slotsOf(route).length === 0),
        async (route) => {
          const { status, text } = await call(dms, route, fixtures);
          assert.equal(status, 200);
          for (const name of namesIn(foreign)) assert.ok(!text.includes(name), `shows ${name}`);
        },
      );
    });

    it('accepts a cursor in its own list, and refuses it in every other one', async () => {
      const lists = routes.filter(({ query }) => Object.hasOwn(query?.describe().keys ?? {}, 'cursor'));
      const withQuery = (path: string, text: string) => `${path}${path.includes('?') ? '&' : '?'}${text}`;
      const cursors = new Map<string, string>();
      await forEvery(lists, async (route) => {
        const path = pathOf(route, fixtures);
        const { body } = await call(dms, route, fixtures, { path: withQuery(path, 'limit=1') });
        if (body.nextCursor !== null) cursors.set(path, body.nextCursor);
      });
      assert.ok(cursors.size >= 3, `${cursors.size} lists go on`);
      await forEvery(lists, async (route) => {
        const path = pathOf(route, fixtures);
        for (const [from, cursor] of cursors) {
          const { status } = await call(dms, route, fixtures, {
            path: withQuery(path, `cursor=${encodeURIComponent(cursor)}`),
          });
          assert.equal(status, from === path ? 200 : 400, `${path} with a cursor of ${from}`);
        }
      });
    });

    it('refuses a cursor of the same list of another thing', async () => {
      const assetId = await register(dms, 'CURSOR-1');
      const measuredAt = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
      const readings = [1, 2].map((minute) => ({
        channel: 1,
        type: 'temperature',
        value: 4,
        measuredAt: measuredAt(minute),
      }));
      await dms.device.post('/devices/CURSOR-1/measurements', { readings });
      const { nextCursor } = (await dms.api.get(`/assets/${assetId}/measurements?limit=1`)).body;
      const at = (id: string) => dms.api.get(`/assets/${id}/measurements?cursor=${nextCursor}`);
      assert.equal((await at(assetId.toUpperCase())).status, 200);
      assert.equal((await at(fixtures.assetId)).status, 400);
    });
  });

  describe('for other methods', () => {
    /** For the path with the fewest parameters. */
    const methodsOf = (url: string) => {
      const [path = ''] = url.split('?');
      const matching = routes.filter((route) =>
        new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      );
      const fewest = Math.min(...matching.map((route) => slotsOf(route).length));
      const own = matching.filter((route) => slotsOf(route).length === fewest);
      const methods = own.map(({ method }) => method as string);
      return new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
    };

    it('answers 405 to other methods and lists the allowed ones in Allow', async () => {
      const onePerPath = [...new Map(routes.map((route) => [route.path, route])).values()];
      await forEvery(onePerPath, async (route) => {
        const [path = ''] = pathOf(route, fixtures).split('?');
        const served = methodsOf(path);
        for (const method of ALL_METHODS.filter((each) => !served.has(each))) {
          const answer = await dms.api.send(method, path);
          assert.equal(answer.status, 405, `${method} ${path}`);
          const allowed = String(answer.headers.allow).split(', ');
          assert.deepEqual(allowed.sort(), [...served].sort(), `Allow of ${method} ${path}`);
        }
      });
    });

    it('lists the methods of a literal path without those of a matching parameter', async () => {
      for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await dms.api.send(method, '/assets/import');
        assert.deepEqual([status, headers.allow], [405, 'POST'], method);
      }
      const { status, headers } = await dms.api.send('OPTIONS', `/assets/${fixtures.assetId}`);
      assert.equal(status, 405);
      assert.deepEqual(String(headers.allow).split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'PATCH']);
    });

    it('answers 405 and 404 without a key, because routing comes first', async () => {
      const nobody = dms.with(null);
      assert.equal((await nobody.delete('/assets')).status, 405);
      assert.equal((await nobody.get('/nothing')).status, 404);
    });

    it('answers HEAD like GET without a body', async () => {
      await forEvery(
        routes.filter(({ method }) => method === 'GET'),
        async (route) => {
          const path = pathOf(route, fixtures);
          const client = dms[route.auth === 'device' ? 'device' : 'api'];
          const got = await client.get(path);
          const head = await client.send('HEAD', path);
          assert.equal(head.status, got.status);
          assert.equal(head.text, '');
          for (const name of ['content-type', 'content-length', 'etag', 'link']) {
            assert.equal(head.headers[name], got.headers[name], name);
          }
        },
      );
    });
  });

  describe('for HEAD', () => {
    it('changes nothing, even where GET counts as a fetch', async () => {
      const own = await dms.addOrganization();
      const its = await populate(own);
      await untilJobsStarted(dms.service.sql);
      const before = await databaseContents(dms.service.sql);
      const gets = routes.filter(({ method }) => method === 'GET');
      for (const route of gets) {
        const client = own[route.auth === 'device' ? 'device' : 'api'];
        await client.send('HEAD', pathOf(route, its));
      }
      assert.deepEqual(await databaseContents(dms.service.sql), before);
      const record = await own.api.get(`/devices/${its.serial}/config`);
      assert.ok(record.body.pendingConfig);
      const { status } = await own.device.send('HEAD', '/devices/NOBODY/pending-config');
      assert.equal(status, 404);
      const unknown = await dms.service.sql('unregistered_devices').where({ organization_id: own.id });
      assert.deepEqual(
        unknown.map((row: { serial_number: string }) => row.serial_number),
        [its.unregisteredSerial.toLowerCase()],
      );
    });
  });

  describe('for paths without a key', () => {
    for (const path of KEYLESS) {
      it(`answers ${path} without a key`, async () => {
        assert.equal((await dms.with(null).get(path)).status, 200);
      });

      it(`answers 405 to methods of ${path} other than GET and HEAD`, async () => {
        const { status, headers } = await dms.with(null).post(path, {});
        assert.deepEqual({ status, allow: headers.allow }, { status: 405, allow: 'GET, HEAD' });
      });

      it(`answers HEAD ${path}`, async () => {
        const { status, text } = await dms.with(null).send('HEAD', path);
        assert.deepEqual({ status, text }, { status: 200, text: '' });
      });
    }
  });

  describe('in its response headers', () => {
    /** Responses of every kind: success, a refusal by each check, and paths that are no operation. */
    let seen: Array<[string, Answer]>;
    let own: TestOrganization;
    let its: Fixtures;
    before(async () => {
      own = await dms.addOrganization();
      its = await populate(own);
      seen = await answers(routes);
    });

    async function answers(
      over: Route[],
      headers: Record<string, string> = {},
    ): Promise<Array<[string, Answer]>> {
      const got: Array<[string, Answer]> = [];
      for (const route of over) {
        const options = { headers };
        const unknown = Object.fromEntries(slotsOf(route).map((slot) => [slot, randomUUID()]));
        const changes = {
          'without key': { client: dms.with(null) },
          'bad query': { path: `${pathOf(route, its)}?x=1` },
          'unknown name': { path: pathOf(route, its, unknown) },
          valid: {},
        };
        for (const [what, change] of Object.entries(changes)) {
          got.push([`${route.operationId} ${what}`, await call(own, route, its, { options, ...change })]);
        }
      }
      for (const path of [...KEYLESS, '/docs/api', '/docs/api/assets', '/nothing', '/%zz', '/docs/nothing']) {
        got.push([path, await dms.api.get(path, { headers })]);
      }
      const wrong = { headers: { ...headers, 'content-type': 'text/plain' }, raw: 'x' };
      got.push(['415', await dms.api.post('/assets', undefined, wrong)]);
      const large = { headers, raw: 'x'.repeat(1024 * 1024 + 1) };
      got.push(['413', await dms.api.post('/assets', undefined, large)]);
      got.push(['405', await dms.api.send('DELETE', '/assets', undefined, { headers })]);
      return got;
    }

    it('sends no-store and nosniff with every response', () => {
      const missing = seen.filter(
        ([, { headers }]) =>
          headers['cache-control'] !== 'no-store' || headers['x-content-type-options'] !== 'nosniff',
      );
      assert.deepEqual(
        missing.map(([what]) => what),
        [],
      );
    });

    it('reveals no software name in any header', () => {
      const telling = seen.filter(([, { headers }]) => headers['x-powered-by'] ?? headers.server);
      assert.deepEqual(telling, []);
    });

    it('gives every response a unique Request-Id', () => {
      const ids = seen.map(([, { headers }]) => String(headers['request-id']));
      for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
      assert.equal(new Set(ids).size, ids.length);
    });

    it('returns the Request-Id of the request', async () => {
      const id = `From-Caller_${'1'.repeat(52)}`;
      const some = routes.filter(({ operationId }) => ['listAssets', 'createKey'].includes(operationId));
      assert.equal(some.length, 2);
      const others = (await answers(some, { 'request-id': id })).filter(
        ([, { headers }]) => headers['request-id'] !== id,
      );
      assert.deepEqual(
        others.map(([what]) => what),
        [],
      );
    });

    it('replaces a Request-Id that is unsafe in logs or headers', async () => {
      for (const id of ['', 'x'.repeat(65), 'a b', 'a.b', 'a"b', '{}', '../x', 'ä', 'a,b']) {
        const lines = ['GET /livez HTTP/1.1', 'Host: x', `Request-Id: ${id}`, 'Connection: close'];
        const answer = await exchange(dms.baseUrl, [`${lines.join('\r\n')}\r\n\r\n`]);
        assert.equal(answer?.status, 200);
        assert.notEqual(answer.headers['request-id'], id);
        assert.match(String(answer.headers['request-id']), /^[A-Za-z0-9_-]{1,64}$/);
      }
    });

    it('sends bodies as JSON in UTF-8', () => {
      const file = ['application/pdf', 'application/x-ndjson', 'text/html', 'text/css'];
      const others = seen.filter(([, { headers, text }]) => {
        const type = String(headers['content-type']);
        return (
          text !== '' &&
          type !== 'application/json; charset=utf-8' &&
          !file.some((each) => type.startsWith(each))
        );
      });
      assert.deepEqual(
        others.map(([what]) => what),
        [],
      );
    });
  });

  describe('in the order of its checks', () => {
    it('checks the shape of a request before looking up what it names', async () => {
      await forEvery(
        routes.filter((route) => slotsOf(route).length > 0),
        async (route) => {
          const unknown = Object.fromEntries(slotsOf(route).map((slot) => [slot, randomUUID()]));
          const { status } = await call(dms, route, fixtures, {
            path: `${pathOf(route, fixtures, unknown)}?x=1`,
          });
          assert.equal(status, 400);
        },
      );
    });

    it('checks the media type before the shape', async () => {
      await forEvery(
        routes.filter(({ method, rawBody }) => method !== 'GET' && !rawBody),
        async (route) => {
          const { status } = await call(dms, route, fixtures, {
            path: `${pathOf(route, fixtures)}?x=1`,
            options: {
              raw: JSON.stringify(exampleBody(route, fixtures)),
              headers: { 'content-type': 'text/plain' },
            },
          });
          assert.equal(status, 415);
        },
      );
    });

    it('accepts a POST without body and media type', async () => {
      const { status } = await dms.api.post(`/devices/config-jobs/${randomUUID()}/cancel`);
      assert.equal(status, 404);
    });
  });
});
