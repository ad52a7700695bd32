/** Rate limits: a token bucket per key, and one for failed keys per address. The clock is the tests' own. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { KeyKind } from '../../src/http/route.ts';
import { formatKey } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { readSettings, type Settings } from '../../src/process/config.ts';
import type { Answer, Client } from '../support/client.ts';
import { call, forEvery, type World } from '../support/operations.ts';
import { startService, type TestService } from '../support/service.ts';

const OFF = { perSecond: 0, burst: 1 };
/** The limit comes before anything that a request names. */
const NOWHERE: World = {
  assetId: 'x',
  serial: 'x',
  slug: 'x',
  alertId: 'x',
  jobId: 'x',
  webhookIds: {},
  deliveryIds: {},
};
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);

const generateKey = (kind: KeyKind) => formatKey(kind, randomBytes(32));

describe('Limits', () => {
  let dms: TestService;
  let nowMs: number;
  const pass = (ms: number) => {
    nowMs += ms;
  };

  async function start(settings: Partial<Settings>): Promise<void> {
    nowMs = Date.now();
    dms = await startService({ withWorker: false, settings, now: () => new Date(nowMs) });
  }

  async function newKey(kind: 'customer' | 'device' = 'customer'): Promise<Client> {
    return dms.with((await dms.issueKey(dms.id, kind)).token);
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

  it('are 100 a second with a burst of 200 unless set otherwise, and 20 failed keys a minute', () => {
    const settings = readSettings({
      DATABASE_URL: 'postgres://nowhere',
      TEMPORAL_ADDRESS: 'nowhere:1',
      SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
    });
    assert.deepEqual(settings.customerLimit, { perSecond: 100, burst: 200 });
    assert.equal(settings.failedKeysPerMinute, 20);
  });

  describe('of a key', () => {
    const burst = 5;
    let api: Client;
    const list = () => api.get('/assets');

    before(() => start({ customerLimit: { perSecond: 2, burst }, deviceLimit: { perSecond: 1, burst: 3 } }));
    after(() => dms.stop());
    beforeEach(async () => {
      api = await newKey();
    });

    it('let a burst through, and answer 429 with Retry-After from then on', async () => {
      const answers = await times(burst + 2, list);
      assert.deepEqual(statuses(answers), [...Array(burst).fill(200), 429, 429]);
      assertLimited(answers.at(-1), '1');
    });

    it('give back as many requests a second as is set', async () => {
      await times(burst, list);
      pass(1_000);
      assert.deepEqual(statuses(await times(3, list)), [200, 200, 429]);
      pass(499);
      assert.equal((await list()).status, 429);
      pass(1);
      assert.equal((await list()).status, 200);
    });

    it('never give back more than the burst', async () => {
      await times(burst, list);
      pass(3_600_000);
      assert.deepEqual(statuses(await times(burst + 1, list)), [...Array(burst).fill(200), 429]);
    });

    it('do not make a caller wait longer for asking too early', async () => {
      await times(burst + 20, list);
      pass(500);
      assert.equal((await list()).status, 200);
    });

    it('are of each key, not of its organization', async () => {
      await times(burst + 1, list);
      assert.equal((await (await newKey()).get('/assets')).status, 200);
    });

    it('are one over all operations of customers', async () => {
      const own = { ...dms, api };
      await times(burst, list);
      await forEvery(
        dms.service.routes.filter(({ auth }) => auth === 'customer'),
        async (route) => assertLimited(await call(own, route, NOWHERE), '1'),
      );
    });

    it('count what is refused as well', async () => {
      await times(burst, () => api.get('/assets?surprise=1'));
      assert.equal((await list()).status, 429);
    });

    it('stand before the shape of the request, and after its route', async () => {
      await times(burst, list);
      assert.equal((await api.post('/assets', undefined, { raw: '{' })).status, 429);
      assert.equal((await api.get('/nothing')).status, 404);
      assert.equal((await api.delete('/assets')).status, 405);
    });

    it('are not used up by what is no operation', async () => {
      await times(burst + 5, () => api.get('/nothing'));
      await times(burst + 5, () => api.get('/livez'));
      assert.equal((await list()).status, 200);
    });

    it('do not hold for paths that need no key', async () => {
      await times(burst + 1, list);
      for (const path of ['/livez', '/readyz', '/openapi.json', '/docs']) {
        assert.deepEqual(statuses(await times(burst + 1, () => api.get(path))), Array(burst + 1).fill(200));
      }
    });

    it('keep no answer under an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const register = () => api.post('/assets', { serialNumber: 'LIMITED' }, { headers });
      await times(burst, list);
      assert.equal((await register()).status, 429);
      pass(500);
      const answer = await register();
      assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, undefined]);
    });

    it('hold for requests that come at once', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, list));
      assert.equal(answers.filter(({ status }) => status === 200).length, burst);
    });

    it('are others for devices, which customers do not use up', async () => {
      const device = await newKey('device');
      const poll = () => device.get('/devices/NONE/pending-config');
      await times(burst + 1, list);
      const answers = await times(4, poll);
      assert.deepEqual(statuses(answers), [404, 404, 404, 429]);
      assertLimited(answers[3], '1');
    });

    it('tell how long to wait, rounded up to seconds', async () => {
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

  describe('below one request a second', () => {
    before(() => start({ customerLimit: { perSecond: 0.1, burst: 1 } }));
    after(() => dms.stop());

    it('make a caller wait as long as Retry-After says, and no longer', async () => {
      const api = await newKey();
      assert.equal((await api.get('/assets')).status, 200);
      assertLimited(await api.get('/assets'), '10');
      pass(9_999);
      assertLimited(await api.get('/assets'), '1');
      pass(1);
      assert.equal((await api.get('/assets')).status, 200);
    });
  });

  describe('set to 0', () => {
    before(() => start({ customerLimit: OFF, deviceLimit: OFF, failedKeysPerMinute: 0 }));
    after(() => dms.stop());

    it('are off for keys', async () => {
      const answers = await times(50, () => dms.api.get('/assets'));
      assert.deepEqual(new Set(statuses(answers)), new Set([200]));
    });

    it('are off for failed keys', async () => {
      const answers = await times(50, () => dms.with(generateKey('customer')).get('/assets'));
      assert.deepEqual(new Set(statuses(answers)), new Set([401]));
    });
  });

  describe('of failed keys', () => {
    before(() => start({ customerLimit: OFF, deviceLimit: OFF, failedKeysPerMinute: 20 }));
    after(() => dms.stop());
    beforeEach(() => pass(3_600_000));

    const fail = () => dms.with(generateKey('customer')).get('/assets');

    it('answer 401 twenty times, then 429 with Retry-After', async () => {
      const answers = await times(22, fail);
      assert.deepEqual(statuses(answers), [...Array(20).fill(401), 429, 429]);
      assertLimited(answers.at(-1), '3');
    });

    it('give one try back every three seconds', async () => {
      await times(20, fail);
      pass(3_000);
      assert.deepEqual(statuses(await times(2, fail)), [401, 429]);
    });

    it('do good keys from the same address no harm', async () => {
      await times(25, fail);
      assert.deepEqual(statuses(await times(5, () => dms.api.get('/assets'))), Array(5).fill(200));
      assert.equal((await (await newKey()).get('/assets')).status, 200);
    });

    it('are not used up by requests without a key', async () => {
      const nobody = dms.with(null);
      assert.deepEqual(new Set(statuses(await times(25, () => nobody.get('/assets')))), new Set([401]));
      assert.equal((await fail()).status, 401);
      await times(25, fail);
      assert.equal((await nobody.get('/assets')).status, 401);
    });

    it('are not used up by good keys', async () => {
      await times(25, () => dms.api.get('/assets'));
      assert.equal((await fail()).status, 401);
    });

    it('count malformed, revoked and other kinds of keys too', async () => {
      const revoked = await dms.issueKey(dms.id, 'customer');
      await createKeysRepository(dms.service.sql).revoke(revoked.id);
      const { token: device } = await dms.issueKey(dms.id, 'device');
      for (const token of ['nonsense', revoked.token, device]) {
        pass(3_600_000);
        const answers = await times(21, () => dms.with(token).get('/assets'));
        assert.deepEqual(statuses(answers), [...Array(20).fill(401), 429], token.slice(0, 4));
      }
    });

    it('are counted per address', async function () {
      // Only Linux has the whole of 127.0.0.0/8 without set-up.
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
