/** The client address behind proxies. */
import assert from 'node:assert/strict';
import { createAuthenticateDevice } from '../../src/gateway/authenticate-device.ts';
import { createClientAddress, limitedAs } from '../../src/http/client-address.ts';
import { createTokenBucket } from '../../src/http/token-bucket.ts';
import { validateEnvironment } from '../../src/process/environment.ts';
import { AppError } from '../../src/process/errors.ts';
import { createClient } from '../support/client.ts';
import { type TestService, useService } from '../support/service.ts';

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

  it('limits addresses of one IPv6 /64 as one client, and IPv4 addresses each, in whatever form', () => {
    for (const [address, expected] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::', '2001:db8:1:2::/64'],
      ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['', ''],
    ] as const)
      assert.equal(limitedAs(address), expected, address);
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
  const failedKeysPerMinute = 3;
  const direct = useService({ withWorker: false, settings: { failedKeysPerMinute } });
  const proxied = useService({
    withWorker: false,
    settings: { failedKeysPerMinute, trustedProxies: ['127.0.0.1'] },
  });

  /** Of five requests with a wrong key. */
  const statusesFrom = async ({ baseUrl }: TestService, forwardedFor: (index: number) => string) => {
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) {
      const headers = { 'x-forwarded-for': forwardedFor(index) };
      const wrongKey = createClient(baseUrl, `dms_live_${'x'.repeat(49)}`);
      statuses.push((await wrongKey.get('/assets', { headers })).status);
    }
    return statuses;
  };
  const expected = [401, 401, 401, 429, 429];

  it('counts each client behind a trusted proxy separately', async () => {
    assert.deepEqual(await statusesFrom(proxied, () => '192.0.2.1'), expected);
    assert.deepEqual(await statusesFrom(proxied, () => '192.0.2.2'), expected);
    const spoofed = (index: number) => `198.51.100.${index}, 192.0.2.3`;
    assert.deepEqual(
      await statusesFrom(proxied, spoofed),
      expected,
      'what stands left of the client counts for nothing',
    );
  });

  it('counts an IPv6 /64 as one client, over HTTP', async () => {
    assert.deepEqual(await statusesFrom(proxied, (index) => `2001:db8::${index + 1}`), expected);
    assert.deepEqual(await statusesFrom(proxied, (index) => `2001:db8:0:1::${index + 1}`), expected);
  });

  it('counts by the connection, despite any header, when no proxy is trusted', async () => {
    assert.deepEqual(await statusesFrom(direct, (index) => `192.0.2.${index}`), expected);
  });
});

describe('The limit of wrong device tokens', () => {
  type FindCaller = Parameters<typeof createAuthenticateDevice>[0]['findCaller'];
  const bucket = (perSecond: number) => createTokenBucket({ perSecond, burst: 2, monotonicMs: () => 0 });
  const authenticateBy = (findCaller: FindCaller) =>
    createAuthenticateDevice({
      findCaller,
      limit: bucket(0),
      organizationLimit: bucket(0),
      failures: bucket(1),
      findOwners: async () => [],
      isTokenRequired: true,
      addressTrustMs: 0,
      monotonicMs: () => 0,
    });
  const message = { serialNumber: 'A', cloudToken: 'wrong', tokenOption: null, allowAddressTrust: false };

  it('counts an IPv6 /64 as one client', async () => {
    const suspects: boolean[] = [];
    const authenticate = authenticateBy(async (_token, { isSuspect }) => {
      suspects.push(isSuspect);
      return null;
    });
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])
      await authenticate({ ...message, address, port: 5683 });
    assert.deepEqual(suspects, [false, false, true, false]);
  });

  it('calls a look-up that waits behind unknown tokens of others unavailable, not over the limit of the sender', async () => {
    const authenticate = authenticateBy(() => Promise.reject(new AppError('rate_limited', 'Too many')));
    await assert.rejects(authenticate({ ...message, address: '192.0.2.1', port: 5683 }), {
      kind: 'unavailable',
    });
  });
});
