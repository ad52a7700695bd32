/** Tokens for one serial number, over HTTP and CoAP. */
import assert from 'node:assert/strict';
import { HOUR_MS } from '../../src/process/durations.ts';
import { runCommand } from '../support/command-line.ts';
import { register } from '../support/fleet.ts';
import { statementsOf } from '../support/statements-of.ts';
import { codesOf, useGateway } from './harness.ts';

describe('A token of one device', () => {
  /** The service's clock, which a test alone advances. */
  let nowMs = Date.now();
  const gateway = useGateway(() => ({ now: () => new Date(nowMs) }));
  beforeEach(() => {
    nowMs = Date.now();
  });

  async function deviceWithToken() {
    const device = await gateway.newLogger();
    const issue = async (): Promise<string> => {
      const { status, body, text } = await device.org.api.post(`/assets/${device.assetId}/device-token`);
      assert.equal(status, 201, text);
      return body.token;
    };
    return { ...device, issue, own: await issue() };
  }

  const overHttp = (token: string, serial: string) =>
    gateway.dms.with(token).get(`/devices/${serial}/pending-config`);
  const statusesOf = async (token: string, serials: string[]) =>
    Promise.all(serials.map(async (serial) => (await overHttp(token, serial)).status));

  it('authenticates its serial number and no other, over HTTP', async () => {
    const { org, own, logger } = await deviceWithToken();
    await register(org, 'OTHER');
    assert.equal(own.length, 36);
    const serials = [logger.serial, logger.serial.toLowerCase(), 'OTHER', 'UNKNOWN'];
    assert.deepEqual(await statusesOf(own, serials), [204, 204, 401, 401]);
    const { body } = await overHttp(own, 'OTHER');
    assert.deepEqual(body, { success: false, message: 'Invalid or inactive API key' });
    assert.equal((await gateway.dms.with(own).get('/assets')).status, 401);
  });

  it('authenticates its serial number and no other, over CoAP', async () => {
    const { org, own, logger, open, history } = await deviceWithToken();
    const other = await open({ token: own });
    const otherId = await register(org, other.serial);
    assert.equal((await other.measure()).code, '4.01');
    assert.deepEqual(codesOf(await other.report({ token: own })), ['4.01']);
    assert.equal((await other.sendInfo({ version: 0x0702 })).code, '4.01');
    assert.deepEqual((await org.api.get(`/assets/${otherId}/measurements`)).body.items, []);
    assert.equal((await logger.measure({ token: own })).code, '2.01');
    assert.ok((await history()).length > 0);
    // Without a token: from the address from which the same serial number has sent one.
    assert.deepEqual(codesOf(await logger.report({ token: null })), ['2.01']);
  });

  it('keeps its predecessor valid for 24 hours', async () => {
    const { own, issue, logger } = await deviceWithToken();
    const next = await issue();
    assert.deepEqual(await statusesOf(own, [logger.serial]), [204]);
    assert.deepEqual(await statusesOf(next, [logger.serial]), [204]);
    nowMs += 24 * HOUR_MS + 60_000;
    assert.deepEqual(await statusesOf(own, [logger.serial]), [401]);
    assert.deepEqual(await statusesOf(next, [logger.serial]), [204]);
  });

  it('ends when three newer ones were issued, of which all work', async () => {
    const { own, issue, logger } = await deviceWithToken();
    const newer = [await issue(), await issue(), await issue()];
    for (const token of newer) assert.deepEqual(await statusesOf(token, [logger.serial]), [204]);
    assert.deepEqual(await statusesOf(own, [logger.serial]), [401]);
  });

  it('leaves at most three rows of a serial number, and none when it was deleted', async () => {
    const { org, issue, logger, assetId } = await deviceWithToken();
    for (let count = 0; count < 5; count++) await issue();
    const rows = () =>
      gateway.dms.service
        .sql('api_keys')
        .where({ organization_id: org.id, serial_key: logger.serial.toLowerCase() })
        .pluck('id');
    assert.equal((await rows()).length, 3);
    assert.equal((await org.api.delete(`/assets/${assetId}/device-token`)).status, 204);
    assert.deepEqual(await rows(), []);
  });

  it('ends within 5 s after it was deleted, with its predecessor; then there is none to delete', async () => {
    const { org, own, issue, logger, assetId } = await deviceWithToken();
    const next = await issue();
    assert.deepEqual(await statusesOf(next, [logger.serial]), [204]);
    assert.equal((await org.api.delete(`/assets/${assetId}/device-token`)).status, 204);
    nowMs += 5_000;
    for (const token of [own, next]) assert.deepEqual(await statusesOf(token, [logger.serial]), [401]);
    assert.equal((await org.api.delete(`/assets/${assetId}/device-token`)).status, 404);
  });

  it('ends when the device is archived, over HTTP and CoAP, and stays ended when the serial number is registered again', async () => {
    const { org, own, assetId, logger, issue } = await deviceWithToken();
    const earlier = own;
    const newest = await issue();
    assert.equal((await logger.measure({ token: newest })).code, '2.01');
    assert.equal((await org.api.delete(`/assets/${assetId}`)).status, 200);
    for (const token of [earlier, newest]) {
      assert.notEqual((await overHttp(token, logger.serial)).status, 204);
      assert.match((await logger.measure({ token })).code, /^4/);
    }
    await register(org, logger.serial);
    nowMs += 5_000;
    for (const token of [earlier, newest]) {
      assert.deepEqual(await statusesOf(token, [logger.serial]), [401]);
      assert.equal((await logger.measure({ token })).code, '4.01');
    }
  });

  it('stays with its serial number when the hardware is replaced', async () => {
    const { org, own, assetId, logger } = await deviceWithToken();
    const newSerialNumber = `${logger.serial}N`;
    await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber });
    assert.deepEqual(await statusesOf(own, [newSerialNumber]), [401]);
    assert.equal((await org.api.delete(`/assets/${assetId}/device-token`)).status, 404);
  });

  it('ends when the device is archived that has replaced its logger', async () => {
    const { org, own, assetId, logger } = await deviceWithToken();
    const newSerialNumber = `${logger.serial}N`;
    await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber });
    assert.equal((await org.api.delete(`/assets/${assetId}`)).status, 200);
    await register(org, logger.serial);
    nowMs += 5_000;
    assert.deepEqual(await statusesOf(own, [logger.serial]), [401]);
    assert.equal((await logger.measure({ token: own })).code, '4.01');
  });

  it('goes on with another device that has its logger, when the one before is archived', async () => {
    const { org, own, assetId, logger } = await deviceWithToken();
    const newSerialNumber = `${logger.serial}N`;
    await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber });
    await register(org, logger.serial);
    assert.equal((await org.api.delete(`/assets/${assetId}`)).status, 200);
    nowMs += 5_000;
    assert.deepEqual(await statusesOf(own, [logger.serial]), [204]);
  });

  it('appears once: not among the keys, and not in the audit trail', async () => {
    const { org, own, assetId } = await deviceWithToken();
    assert.equal((await org.api.get('/keys')).body.items.length, 3);
    const { body, text } = await org.api.get(`/audit?subject=${assetId}`);
    assert.equal(body.items[0].action, 'issueDeviceToken');
    assert.ok(!text.includes(own));
  });

  it('excludes other tokens if the organization requires that', async () => {
    const { org, token, own, logger } = await deviceWithToken();
    const [name = ''] = await gateway.dms.service.sql('organizations').where({ id: org.id }).pluck('name');
    const setting = async (flag: string) => {
      const { code, stderr } = await runCommand(gateway.dms.settings.databaseUrl, 'org', 'set', name, flag);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    };
    assert.deepEqual(await statusesOf(token, [logger.serial]), [204]);
    await setting('--require-device-tokens');
    nowMs += 5_000;
    assert.deepEqual(await statusesOf(token, [logger.serial]), [401]);
    assert.equal((await logger.measure({ token })).code, '4.01');
    assert.equal((await logger.measure({ token: own })).code, '2.01');
    await setting('--allow-fleet-token');
    nowMs += 5_000;
    assert.deepEqual(await statusesOf(token, [logger.serial]), [204]);
  });

  it('costs a known device no query', async () => {
    const { own, logger } = await deviceWithToken();
    await logger.measure({ token: own });
    const statements = await statementsOf(gateway.dms.service.sql, async () => {
      for (let index = 0; index < 5; index++) await logger.measure({ token: own });
    });
    assert.deepEqual(
      statements.filter((text) => text.includes('api_keys')),
      [],
    );
  });
});

describe('A gateway that requires no token', () => {
  const gateway = useGateway(() => ({
    settings: { coap: { port: 0, isTokenRequired: false, tokenOption: null, addressTrustMs: HOUR_MS } },
  }));

  it('refuses messages without a token if the organization requires one of each device', async () => {
    const { org, logger } = await gateway.newLogger();
    assert.equal((await logger.measure({ token: null })).code, '2.01');
    await gateway.dms.service
      .sql('organizations')
      .where({ id: org.id })
      .update({ requires_device_tokens: true });
    assert.equal((await logger.measure({ token: null })).code, '4.01');
  });
});
