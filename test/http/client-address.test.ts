/** The client address behind proxies. */
import assert from 'node:assert/strict';
import { createClientAddress } from '../../src/http/client-address.ts';
import { validateEnvironment } from '../../src/process/environment.ts';
import { createClient } from '../support/client.ts';
import { startService, type TestService } from '../support/service.ts';

describe('The address of a client', () => {
  it('uses the address of the connection when no proxy is trusted, whatever the request says', () => {
    const clientAddress = createClientAddress([]);
    assert.equal(clientAddress('192.0.2.1', '198.51.100.7'), '192.0.2.1');
    assert.equal(clientAddress('::ffff:192.0.2.1', undefined), '::ffff:192.0.2.1');
  });

  it('uses the last address that a trusted proxy reports and that is not itself a trusted proxy', () => {
    const clientAddress = createClientAddress(['10.0.0.0/8', '2001:db8::1']);
    for (const [connectedFrom, forwardedFor, expected] of [
      ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
      ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
      ['2001:db8::1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
      ['10.0.0.1', '2001:db8:0::7', '2001:db8::7'],
      ['10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
      ['10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
      ['10.0.0.1', undefined, '10.0.0.1'],
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', '10.0.0.3', '10.0.0.3'],
    ] as const) {
      assert.equal(clientAddress(connectedFrom, forwardedFor), expected, `${forwardedFor}`);
    }
  });

  it('ignores addresses from clients that are not trusted proxies', () => {
    const clientAddress = createClientAddress(['10.0.0.0/8']);
    for (const [connectedFrom, forwardedFor, expected] of [
      ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
      ['192.0.2.1', '198.51.100.7, 10.0.0.2', '192.0.2.1'],
      ['10.0.0.1', '198.51.100.7, 192.0.2.1', '192.0.2.1'],
      ['10.0.0.1', '10.0.0.9, 198.51.100.7, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
      ['10.0.0.1', '198.51.100.7, unknown', '10.0.0.1'],
      ['10.0.0.1', `${'198.51.100.7, '.repeat(1_000)}192.0.2.1`, '192.0.2.1'],
      ['not an address', '198.51.100.7', 'not an address'],
    ] as const) {
      assert.equal(clientAddress(connectedFrom, forwardedFor), expected, forwardedFor);
    }
  });

  it('reads addresses and ranges from TRUSTED_PROXIES', () => {
    const good = '192.0.2.1,10.0.0.0/8,2001:db8::/32';
    assert.equal(validateEnvironment({ TRUSTED_PROXIES: good }).TRUSTED_PROXIES, good);
    for (const bad of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8, 192.0.2.1'])
      assert.throws(
        () => validateEnvironment({ TRUSTED_PROXIES: bad }),
        /TRUSTED_PROXIES must be IP addr/,
        bad,
      );
  });
});

describe('The limit of failed keys', () => {
  let dms: TestService;
  const limit = 3;
  const wrongKey = () => createClient(dms.baseUrl, `dms_live_${'x'.repeat(49)}`);
  const statusesFrom = async (forwardedFor: (index: number) => string, count: number) => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index++) {
      const headers = { 'x-forwarded-for': forwardedFor(index) };
      statuses.push((await wrongKey().get('/assets', { headers })).status);
    }
    return statuses;
  };
  const expected = [401, 401, 401, 429, 429];
  afterEach(() => dms.stop());

  it('counts each client behind a trusted proxy separately', async () => {
    dms = await startService({
      withWorker: false,
      settings: { failedKeysPerMinute: limit, trustedProxies: ['127.0.0.1'] },
    });
    assert.deepEqual(await statusesFrom(() => '192.0.2.1', 5), expected);
    assert.deepEqual(await statusesFrom(() => '192.0.2.2', 5), expected);
    const spoofed = (index: number) => `198.51.100.${index}, 192.0.2.3`;
    assert.deepEqual(
      await statusesFrom(spoofed, 5),
      expected,
      'what stands left of the client counts for nothing',
    );
  });

  it('counts by the connection, despite any header, when no proxy is trusted', async () => {
    dms = await startService({ withWorker: false, settings: { failedKeysPerMinute: limit } });
    assert.deepEqual(await statusesFrom((index) => `192.0.2.${index}`, 5), expected);
  });
});
