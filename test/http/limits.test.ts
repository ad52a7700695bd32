/** Rate limits: a token bucket per API key, and one per address for failed keys. The tests set the clock. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { compose } from '../../src/compose/service.ts';
import type { KeyKind } from '../../src/http/route.ts';
import { createTokenBucket } from '../../src/http/token-bucket.ts';
import { formatKey } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { readSettings, type Settings } from '../../src/process/config.ts';
import { SETTING_NAMES, validateEnvironment } from '../../src/process/environment.ts';
import { createLog } from '../../src/process/log.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { call, type Fixtures, forEvery } from '../support/operations.ts';
import { startService, type TestService } from '../support/service.ts';

const OFF = { perSecond: 0, burst: 1 };
/** The limit is checked before the things that the request names. */
const NOWHERE: Fixtures = {
  assetId: 'x',
  serial: 'x',
  slug: 'x',
  alertId: 'x',
  keyId: 'x',
  sessionId: 'x',
  jobId: 'x',
  unregisteredSerial: 'x',
  channelId: 'x',
  escalationId: 'x',
  escalationChannelId: 'x',
  groupId: 'x',
  webhookIds: {},
  deliveryIds: {},
};
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);

const generateKey = (kind: KeyKind) => formatKey(kind, randomBytes(32));

describe('Rate limits', () => {
  let dms: TestService;
  let nowMs: number;
  /** How far the clock of the database is ahead. */
  let aheadMs = 0;
  const pass = (ms: number) => {
    nowMs += ms;
  };

  function useLimits(settings: Partial<Settings>): void {
    before(async () => {
      nowMs = Date.now();
      dms = await startService({
        withWorker: false,
        settings,
        now: () => new Date(nowMs + aheadMs),
        monotonicMs: () => nowMs,
      });
    });
    after(() => dms.stop());
  }

  /** By default the key of a new organization, whose limit no other test has used up. */
  async function newKey(kind: KeyKind = 'customer', organizationId?: string): Promise<Client> {
    const id = organizationId ?? (await dms.addOrganization()).id;
    return dms.with((await dms.issueKey(id, kind)).token);
  }

  async function times(count: number, send: () => Promise<Answer>): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let index = 0; index < count; index++) answers.push(await send());
    return answers;
  }

  function assertLimited(answer: Answer | undefined, retryAfter: string): void {
    assert.equal(answer?.status, 429);
    assert.equal(answer.headers['retry-after'], retryAfter);
    assert.match(answer.body.message, new RegExp(`${retryAfter} s`));
  }

  it('allows no time that is too long for its timer', () => {
    for (const name of ['STATEMENT_TIMEOUT_SECONDS', 'REQUEST_TIMEOUT_SECONDS'])
      assert.throws(() => validateEnvironment({ [name]: '86401' }), new RegExp(`${name} must be`));
  });

  it('gives each number among the settings an upper bound, so that a typing error stops the start', () => {
    const faultOf = (name: string, text: string): string => {
      try {
        validateEnvironment({ [name]: text });
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const numbers = SETTING_NAMES.filter((name) => faultOf(name, 'x').includes(`${name} must be a number`));
    assert.ok(numbers.includes('PORT') && numbers.length > 30, numbers.join());
    const unbounded = numbers.filter((name) => faultOf(name, String(Number.MAX_SAFE_INTEGER)) === '');
    assert.deepEqual(unbounded, []);
  });

  it('allows no two secret keys with one id', () => {
    const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    for (const pairs of [`1:${first},1:${second}`, `1:${first},01:${second}`])
      assert.throws(
        () => validateEnvironment({ SECRETS_KEYS: pairs }),
        /SECRETS_KEYS must have another id for each key/,
      );
    validateEnvironment({ SECRETS_KEYS: `1:${first},2:${second}` });
  });

  it('allows 100,000 loggers that send every five minutes, all at the same moment, by default', () => {
    const settings = readSettings({
      DATABASE_URL: 'postgres://nowhere',
      TEMPORAL_ADDRESS: 'nowhere:1',
      SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
    });
    assert.deepEqual(settings.customerLimit, { perSecond: 100, burst: 200 });
    assert.deepEqual(settings.deviceLimit, { perSecond: 1_000, burst: 200_000 });
    assert.equal(settings.failedKeysPerMinute, 20);
    const bucket = createTokenBucket({ ...settings.deviceLimit, monotonicMs: () => nowMs });
    nowMs = 0;
    for (let round = 0; round < 3; round++) {
      for (let message = 0; message < 2 * 100_000; message++) assert.equal(bucket.take('token'), null);
      pass(5 * 60_000);
    }
  });

  describe('per API key', () => {
    const burst = 5;
    let api: Client;
    const list = () => api.get('/assets');

    useLimits({ customerLimit: { perSecond: 2, burst }, deviceLimit: { perSecond: 1, burst: 3 } });
    beforeEach(async () => {
      api = await newKey();
    });

    it('lets a burst through, then answers 429 with Retry-After', async () => {
      const answers = await times(burst + 2, list);
      assert.deepEqual(statuses(answers), [...Array(burst).fill(200), 429, 429]);
      assertLimited(answers.at(-1), '1');
    });

    it('allows as many requests per second as configured', async () => {
      await times(burst, list);
      pass(1_000);
      assert.deepEqual(statuses(await times(3, list)), [200, 200, 429]);
      pass(499);
      assert.equal((await list()).status, 429);
      pass(1);
      assert.equal((await list()).status, 200);
    });

    it('never allows more than the burst after a pause', async () => {
      await times(burst, list);
      pass(3_600_000);
      assert.deepEqual(statuses(await times(burst + 1, list)), [...Array(burst).fill(200), 429]);
    });

    it('allows as many requests as before when the clock of the database was set back', async () => {
      assert.equal((await list()).status, 200);
      aheadMs = -60_000;
      try {
        assert.equal((await list()).status, 200);
      } finally {
        aheadMs = 0;
      }
    });

    it('counts each API key separately, even within an organization', async () => {
      await times(burst + 1, list);
      assert.equal((await (await newKey()).get('/assets')).status, 200);
    });

    it('allows all keys of an organization together as much as ten of them, without harm to others', async () => {
      const { id } = await dms.addOrganization();
      for (let key = 0; key < 10; key++) {
        const each = await newKey('customer', id);
        assert.deepEqual(statuses(await times(burst, () => each.get('/assets'))), Array(burst).fill(200));
      }
      const another = await newKey('customer', id);
      const refused = await another.get('/assets');
      assertLimited(refused, '1');
      assert.match(refused.body.message, /organization together/);
      const device = await newKey('device', id);
      assert.equal((await device.get('/devices/NONE/pending-config')).status, 404);
      assert.equal((await list()).status, 200);
      pass(1_000);
      const later = await times(3, () => another.get('/assets'));
      assert.deepEqual(statuses(later), [200, 200, 200]);
    });

    it('shares one limit across all customer operations', async () => {
      const own = { ...dms, api };
      await times(burst, list);
      await forEvery(
        dms.service.routes.filter(({ auth }) => auth === 'customer'),
        async (route) => assertLimited(await call(own, route, NOWHERE), '1'),
      );
    });

    it('counts refused requests, too', async () => {
      await times(burst, () => api.get('/assets?surprise=1'));
      assert.equal((await list()).status, 429);
    });

    it('checks limits after the route and before the shape of the request', async () => {
      await times(burst, list);
      assert.equal((await api.post('/assets', undefined, { raw: '{' })).status, 429);
      assert.equal((await api.get('/nothing')).status, 404);
      assert.equal((await api.delete('/assets')).status, 405);
    });

    it('counts no requests to paths that are no operation', async () => {
      await times(burst + 5, () => api.get('/nothing'));
      await times(burst + 5, () => api.get('/livez'));
      assert.equal((await list()).status, 200);
    });

    it('exempts paths without a key', async () => {
      await times(burst + 1, list);
      for (const path of ['/livez', '/readyz', '/openapi.json', '/docs']) {
        assert.deepEqual(statuses(await times(burst + 1, () => api.get(path))), Array(burst + 1).fill(200));
      }
    });

    it('stores no 429 under an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const register = () => api.post('/assets', { serialNumber: 'LIMITED' }, { headers });
      await times(burst, list);
      assert.equal((await register()).status, 429);
      pass(500);
      const answer = await register();
      assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, undefined]);
    });

    it('limits concurrent requests', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, list));
      assert.equal(answers.filter(({ status }) => status === 200).length, burst);
    });

    it('limits devices and customers separately', async () => {
      const device = await newKey('device');
      const poll = () => device.get('/devices/NONE/pending-config');
      await times(burst + 1, list);
      const answers = await times(4, poll);
      assert.deepEqual(statuses(answers), [404, 404, 404, 429]);
      assertLimited(answers[3], '1');
    });

    it('rounds Retry-After up to seconds, and accepts the next request exactly then', async () => {
      const device = await newKey('device');
      const poll = () => device.get('/devices/NONE/pending-config');
      await times(3, poll);
      assertLimited(await poll(), '1');
      pass(999);
      assertLimited(await poll(), '1');
      pass(1);
      assert.equal((await poll()).status, 404);
    });
  });

  describe('set to 0', () => {
    useLimits({ customerLimit: OFF, deviceLimit: OFF, failedKeysPerMinute: 0 });

    it('lifts the limit of API keys at 0', async () => {
      const answers = await times(50, () => dms.api.get('/assets'));
      assert.deepEqual(new Set(statuses(answers)), new Set([200]));
    });

    it('lifts the limit of failed keys at 0', async () => {
      const answers = await times(50, () => dms.with(generateKey('customer')).get('/assets'));
      assert.deepEqual(new Set(statuses(answers)), new Set([401]));
    });
  });

  describe('for readers of the documentation', () => {
    useLimits({ customerLimit: OFF, trustedProxies: ['127.0.0.1'] });
    beforeEach(() => pass(3_600_000));

    const read = (path: string, client: string) =>
      dms.api.get(path, { headers: { accept: 'text/html', 'x-forwarded-for': client } });

    it('allows a client 400 requests at once, then answers 429 until it waits, and other clients as usual', async () => {
      const answers = await times(400, () => read('/docs/api', '192.0.2.1'));
      assert.deepEqual(new Set(statuses(answers)), new Set([200]));
      for (const path of ['/docs', '/docs/api', '/docs/api/assets', '/openapi.json', '/']) {
        assertLimited(await read(path, '192.0.2.1'), '1');
        assert.equal((await read(path, '192.0.2.2')).status, 200);
      }
      assert.equal((await read('/livez', '192.0.2.1')).status, 200);
      pass(50);
      assert.equal((await read('/docs', '192.0.2.1')).status, 200);
    });

    it('serves them by an API that was started while PostgreSQL was away', async () => {
      const settings = { ...dms.settings, port: 0, databaseUrl: 'postgres://127.0.0.1:1/nowhere' };
      const service = compose({ settings, log: createLog('silent') });
      const api = await service.startApi();
      try {
        const reader = createClient(`http://127.0.0.1:${api.port}`, null);
        for (const path of ['/docs', '/openapi.json', '/'])
          assert.equal((await reader.get(path, { headers: { accept: 'text/html' } })).status, 200, path);
      } finally {
        await api.stop(1_000);
        await service.close();
      }
    });
  });

  describe('for failed keys', () => {
    useLimits({ customerLimit: OFF, deviceLimit: OFF, failedKeysPerMinute: 20 });
    beforeEach(() => pass(3_600_000));

    const fail = () => dms.with(generateKey('customer')).get('/assets');

    it('answers twenty wrong keys with 401, further ones with 429 and Retry-After', async () => {
      const answers = await times(22, fail);
      assert.deepEqual(statuses(answers), [...Array(20).fill(401), 429, 429]);
      assertLimited(answers.at(-1), '3');
    });

    it('allows another wrong key every three seconds', async () => {
      await times(20, fail);
      pass(3_000);
      assert.deepEqual(statuses(await times(2, fail)), [401, 429]);
    });

    it('takes few statements of the database for any input', async () => {
      let lookUps = 0;
      const count = ({ sql }: { sql: string }) => {
        if (sql.includes('api_keys')) lookUps++;
      };
      dms.service.sql.on('query', count);
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 400 }, fail));
      const seconds = (performance.now() - startedAt) / 1000;
      dms.service.sql.off('query', count);
      assert.deepEqual(new Set(statuses(answers)), new Set([401, 429]));
      assert.ok(lookUps <= 20 + 11 * seconds, `${lookUps} look-ups in ${seconds} s`);
    });

    it('accepts valid keys from the same address', async () => {
      await times(25, fail);
      assert.deepEqual(statuses(await times(5, () => dms.api.get('/assets'))), Array(5).fill(200));
      assert.equal((await (await newKey()).get('/assets')).status, 200);
    });

    it('counts no requests without a key as failed keys', async () => {
      const nobody = dms.with(null);
      assert.deepEqual(new Set(statuses(await times(25, () => nobody.get('/assets')))), new Set([401]));
      assert.equal((await fail()).status, 401);
      await times(25, fail);
      assert.equal((await nobody.get('/assets')).status, 401);
    });

    it('counts no valid keys as failed keys', async () => {
      await times(25, () => dms.api.get('/assets'));
      assert.equal((await fail()).status, 401);
    });

    it('counts malformed and revoked keys, and keys of the other kind, as failed', async () => {
      const revoked = await dms.issueKey(dms.id, 'customer');
      await createKeysRepository(dms.service.sql).revoke(revoked.id);
      const { token: device } = await dms.issueKey(dms.id, 'device');
      for (const token of ['nonsense', revoked.token, device]) {
        pass(3_600_000);
        const answers = await times(21, () => dms.with(token).get('/assets'));
        assert.deepEqual(statuses(answers), [...Array(20).fill(401), 429], token.slice(0, 4));
      }
    });

    it('counts failed keys per address', async function () {
      // Only Linux makes all of 127.0.0.0/8 usable without configuration.
      if (process.platform !== 'linux') return this.skip();
      await times(25, fail);
      const elsewhere = new Agent({ localAddress: '127.0.0.2' });
      const { statusCode, body } = await request(`${dms.baseUrl}/assets`, {
        dispatcher: elsewhere,
        headers: { authorization: `Bearer ${generateKey('customer')}` },
      });
      await body.dump();
      await elsewhere.close();
      assert.equal(statusCode, 401);
    });
  });
});
