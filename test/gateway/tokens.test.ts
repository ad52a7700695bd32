/** Authentication of loggers at the gateway: by their token, and by serial number if no token is required. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createUnregisteredDevicesRepository } from '../../src/devices/unregistered-devices.repository.ts';
import { formatKey } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { configOf, register } from '../support/fleet.ts';
import { readDocument } from '../support/metrics.ts';
import { uint } from '../support/protobuf.ts';
import vectors from './efento-vectors.json' with { type: 'json' };
import { codesOf, useGateway } from './harness.ts';

/** Numbers of the fields of ProtoConfig. */
const BASE = 2;
const TOKEN_CONFIG = 23;
const TOKEN_OPTION = 2_051;
/** Values of field 23: where the logger is set to send its token. */
const IN_FIELD = 1;
const IMEI = 2;
const NOT_SENT = 255;
const TRUST_MS = 20 * MINUTE_MS;
const ZEROS = '00000000-0000-0000-0000-000000000000';

const madeUpToken = () => formatKey('device', randomBytes(32));

describe('A gateway that requires tokens', () => {
  /** How far the service's clock is ahead. */
  let aheadMs = 0;
  const gateway = useGateway(() => ({
    now: () => new Date(Date.now() + aheadMs),
    settings: { coap: { port: 0, isTokenRequired: true, tokenOption: null, addressTrustMs: TRUST_MS } },
  }));
  beforeEach(() => {
    aheadMs = 0;
  });

  async function otherOrganization() {
    const other = await gateway.dms.addOrganization();
    const { token } = await gateway.dms.issueKey(other.id, 'device');
    return { other, token };
  }

  describe('with a wrong or missing token', () => {
    it('refuses a wrong token with 4.01 on every path, and stores nothing', async () => {
      const { logger, token, open, history, config } = await gateway.newLogger();
      await logger.measure();
      const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
      const before = await history();
      const at = new Date(Date.now() - HOUR_MS);
      assert.equal((await logger.measure({ at, token: wrong })).code, '4.01');
      assert.deepEqual(codesOf(await logger.report({ token: wrong })), ['4.01']);
      const stranger = await open({ serial: logger.serial, token: wrong });
      assert.equal((await stranger.sendInfo({ version: 0x0702 })).code, '4.01');
      assert.deepEqual(await history(), before);
      assert.equal((await config()).deviceConfig, null);
    });

    it('does not answer a non-confirmable message with a wrong token, and stores nothing', async () => {
      const { logger, history } = await gateway.newLogger();
      await logger.measure({ confirmable: false, token: 'dev_nobody' });
      assert.equal((await logger.send('t', Buffer.alloc(0))).code, '2.05');
      assert.equal(logger.received.length, 1);
      assert.deepEqual(await history(), []);
    });

    it('refuses messages with a missing or empty token', async () => {
      const { logger, open, history } = await gateway.newLogger();
      for (const none of [null, '']) {
        assert.equal((await logger.measure({ token: none })).code, '4.01');
        assert.deepEqual(codesOf(await logger.report({ token: none })), ['4.01']);
      }
      const withoutToken = await open({ serial: logger.serial, token: undefined });
      assert.equal((await withoutToken.sendInfo({ version: 0x0702 })).code, '4.01');
      assert.deepEqual(await history(), []);
    });

    it('counts refused messages by reason', async () => {
      const { logger, open } = await gateway.newLogger();
      const countOf = async (reason: string) => {
        const answer = await fetch(gateway.dms.metricsUrl);
        const line = new RegExp(`^dms_coap_refused_total\\{reason="${reason}"\\} (\\d+)$`, 'm');
        return Number(line.exec(await answer.text())?.[1] ?? 0);
      };
      const unregistered = await open();
      for (const [reason, send] of [
        ['wrong_token', () => logger.measure({ token: 'dev_nobody' })],
        ['missing_token', () => logger.measure({ token: '' })],
        ['unregistered_serial', () => unregistered.measure()],
      ] as const) {
        const before = await countOf(reason);
        await send();
        assert.equal(await countOf(reason), before + 1, reason);
      }
    });

    it('counts refused messages by exactly the reasons that docs/connect-a-logger.md names', async () => {
      const shown = await (await fetch(gateway.dms.metricsUrl)).text();
      const page = readDocument('docs/connect-a-logger.md');
      const [row = ''] = /^\| `dms_coap_refused_total`.*$/m.exec(page) ?? [];
      const [, ...named] = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      const reasons = shown.matchAll(/^dms_coap_refused_total\{reason="(\w+)"\}/gm);
      assert.deepEqual(
        named,
        [...reasons].map(([, reason]) => reason),
      );
    });
  });

  describe('with a report without a token', () => {
    it('accepts a report without a token from the address of authenticated measurements', async () => {
      const { logger, config } = await gateway.newLogger();
      await logger.measure();
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['2.01']);
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('accepts a report that declares its token as not sent, like one without a token', async () => {
      const { logger, open } = await gateway.newLogger();
      await logger.measure();
      logger.changeOnSite(uint(TOKEN_CONFIG, NOT_SENT));
      assert.deepEqual(codesOf(await logger.report({ token: ZEROS })), ['2.01']);
      assert.deepEqual(codesOf(await logger.report({ token: ZEROS, order: [2, 1] })), ['2.01', '2.01']);
      const elsewhere = await open({ serial: logger.serial, token: ZEROS });
      elsewhere.changeOnSite(uint(TOKEN_CONFIG, NOT_SENT));
      assert.deepEqual(codesOf(await elsewhere.report()), ['4.01']);
    });

    it('refuses a report without a token from another address, and a frame without one from any address', async () => {
      const { logger, open } = await gateway.newLogger();
      await logger.measure();
      const elsewhere = await open({ serial: logger.serial, token: undefined });
      assert.deepEqual(codesOf(await elsewhere.report()), ['4.01']);
      assert.equal((await logger.measure({ token: '' })).code, '4.01');
    });

    it('refuses a report without a token when the address was authenticated too long ago', async () => {
      const { logger } = await gateway.newLogger();
      await logger.measure();
      aheadMs = TRUST_MS - MINUTE_MS;
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['2.01']);
      aheadMs = TRUST_MS;
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['4.01']);
    });
  });

  describe('with a revoked or expired token', () => {
    const keys = () => createKeysRepository(gateway.dms.service.sql);

    it('refuses reports without a token within 5 s of the revocation of the token that was sent before', async () => {
      const { org, open, logger: registered } = await gateway.newLogger();
      const { id, token } = await gateway.dms.issueKey(org.id, 'device');
      const logger = await open({ serial: registered.serial, token });
      await logger.measure();
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['2.01']);
      await keys().revoke(id);
      for (aheadMs = 500; aheadMs < 5_000; aheadMs += 500) await logger.report({ token: '' });
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['4.01']);
      assert.equal((await logger.measure()).code, '4.01');
    });

    it('refuses reports without a token as soon as the token that was sent before has expired', async () => {
      const { org, open, logger: registered } = await gateway.newLogger();
      const { id, token } = await gateway.dms.issueKey(org.id, 'device');
      await keys().expireAt(id, new Date(Date.now() + 10 * MINUTE_MS));
      const logger = await open({ serial: registered.serial, token });
      await logger.measure();
      aheadMs = 9 * MINUTE_MS;
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['2.01']);
      aheadMs = 11 * MINUTE_MS;
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['4.01']);
    });
  });

  describe('with a report in parts', () => {
    it('assembles parts from different ports, as address translation causes them', async () => {
      const { logger, open, config } = await gateway.newLogger();
      const sameDevice = await open({ serial: logger.serial });
      await logger.report({ order: [1, 1] });
      assert.equal((await config()).syncStatus, 'no_device_report');
      await sameDevice.report({ order: [2, 2], hash: logger.hash });
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('refuses each part with a wrong or missing token, and uses nothing of it', async () => {
      const { logger, open, config } = await gateway.newLogger();
      const stranger = await open({ serial: logger.serial, token: undefined });
      stranger.changeOnSite(uint(BASE, 120));
      for (const none of ['dev_nobody', null]) {
        assert.deepEqual(codesOf(await logger.report({ order: [1, 1] })), ['2.01', '2.01']);
        assert.deepEqual(codesOf(await stranger.report({ order: [1, 2], hash: 1, token: none })), [
          '4.01',
          '4.01',
        ]);
        assert.deepEqual(codesOf(await logger.report({ order: [2, 2] })), ['2.01', '2.01']);
        assert.equal((await config()).deviceConfig.measurementPeriodBase, 60);
      }
    });

    it('does not mix parts of two organizations with the same serial number', async () => {
      const { logger, open, config } = await gateway.newLogger();
      const { other, token } = await otherOrganization();
      await register(other, logger.serial);
      const stranger = await open({ serial: logger.serial, token });
      stranger.changeOnSite(uint(BASE, 120));
      assert.deepEqual(codesOf(await stranger.report({ order: [1, 1], hash: 1 })), ['2.01', '2.01']);
      await logger.report({ order: [2, 1] });
      assert.equal((await config()).deviceConfig.measurementPeriodBase, 60);
      assert.equal((await configOf(other, logger.serial)).syncStatus, 'no_device_report');
    });

    it('answers parts of an unregistered serial number with 4.04', async () => {
      const { open } = await gateway.newLogger();
      const unregistered = await open();
      assert.deepEqual(codesOf(await unregistered.report({ order: [1, 2] })), ['4.04', '4.04']);
    });
  });

  describe('with a serial number that the organization does not have', () => {
    it('answers an unregistered serial number with 4.04 and lists it for the operator', async () => {
      const { open } = await gateway.newLogger();
      const unregistered = await open();
      assert.equal((await unregistered.measure()).code, '4.04');
      assert.deepEqual(codesOf(await unregistered.report()), ['4.04']);
      assert.equal((await unregistered.sendInfo({ version: 0x0614 })).code, '4.04');
      const listed = await createUnregisteredDevicesRepository(gateway.dms.service.sql).list(1);
      assert.deepEqual(
        listed.map(({ serialNumber, contactCount }) => [serialNumber.toUpperCase(), contactCount]),
        [[unregistered.serial, 3]],
      );
    });

    it('answers a serial number of another organization with 4.04', async () => {
      const { logger, history } = await gateway.newLogger();
      const { token } = await otherOrganization();
      assert.equal((await logger.measure({ token })).code, '4.04');
      assert.deepEqual(await history(), []);
    });

    it('answers the serial number of an archived asset with 4.04', async () => {
      const { org, logger, assetId } = await gateway.newLogger();
      await org.api.delete(`/assets/${assetId}`);
      assert.equal((await logger.measure()).code, '4.04');
    });
  });
});

describe('A gateway that does not require tokens', () => {
  const gateway = useGateway(() => ({
    settings: {
      coap: { port: 0, isTokenRequired: false, tokenOption: TOKEN_OPTION, addressTrustMs: TRUST_MS },
    },
  }));
  const withoutToken = () => gateway.newLogger({ token: '' });

  it('authenticates a logger by its serial number when one organization has registered it', async () => {
    const { logger, history } = await withoutToken();
    assert.equal((await logger.measure()).code, '2.01');
    assert.deepEqual(codesOf(await logger.report()), ['2.01']);
    assert.equal((await logger.sendInfo({ version: 0x0614 })).code, '2.01');
    assert.equal((await history()).length, 1);
  });

  it('refuses a serial number that two organizations have with 4.01, and one that none has with 4.04', async () => {
    const { logger, open, history } = await withoutToken();
    await register(await gateway.dms.addOrganization(), logger.serial.toLowerCase());
    assert.equal((await logger.measure()).code, '4.01');
    assert.equal((await (await open({ token: undefined })).measure()).code, '4.04');
    assert.deepEqual(await history(), []);
  });

  it('uses the token to decide between two organizations with the same serial number', async () => {
    const { logger, token, history } = await withoutToken();
    await register(await gateway.dms.addOrganization(), logger.serial);
    assert.equal((await logger.measure({ token })).code, '2.01');
    assert.equal((await history()).length, 1);
  });

  it('refuses a wrong token although the serial number is registered', async () => {
    const { logger, history } = await withoutToken();
    assert.equal((await logger.measure({ token: 'dev_nobody' })).code, '4.01');
    assert.deepEqual(codesOf(await logger.report({ token: madeUpToken() })), ['4.01']);
    logger.changeOnSite(uint(TOKEN_CONFIG, IN_FIELD));
    assert.deepEqual(codesOf(await logger.report({ token: madeUpToken() })), ['4.01']);
    assert.deepEqual(await history(), []);
  });

  it('accepts the report of a real logger that stores a token and does not send it', async () => {
    const { org, logger } = await withoutToken();
    const [real] = vectors.configurationReports;
    const serialNumber = real?.expect.serialNumber as string;
    await register(org, serialNumber);
    assert.equal((await logger.send('c', Buffer.from(real?.hex ?? '', 'hex'))).code, '2.01');
    const { syncStatus, deviceConfig } = await configOf(org, serialNumber);
    assert.deepEqual([syncStatus, deviceConfig.transmissionInterval], ['applied', 120]);
  });

  for (const [what, config, stored] of [
    ['a foreign token where none is sent', NOT_SENT, () => 'abcdef'],
    ['one of ours where none is sent', NOT_SENT, madeUpToken],
    ['a lone 0x7F where none is sent', NOT_SENT, () => '\x7f'],
    ['an empty text where none is sent', NOT_SENT, () => ''],
    ['zeros where the IMEI is sent', IMEI, () => ZEROS],
    ['no text where the IMEI is sent', IMEI, () => null],
    ['a text that has not the form of a token', IN_FIELD, () => ZEROS],
    ['a text that is longer than any token', IN_FIELD, () => ZEROS.repeat(2)],
    ['zero bytes where none is sent', NOT_SENT, () => '\0'.repeat(36)],
  ] as const) {
    it(`treats the stored token of a report as a setting: ${what}`, async () => {
      const { logger, config: shown } = await withoutToken();
      logger.changeOnSite(uint(TOKEN_CONFIG, config));
      assert.deepEqual(codesOf(await logger.report({ token: stored() })), ['2.01']);
      assert.equal((await shown()).syncStatus, 'applied');
    });
  }

  it('decides by the CoAP option when the token of the report is a setting', async () => {
    const { logger, token, open } = await withoutToken();
    await register(await gateway.dms.addOrganization(), logger.serial);
    const { serial } = logger;
    for (const [optionToken, code] of [
      [token, '2.01'],
      [madeUpToken(), '4.01'],
    ] as const) {
      const sender = await open({ serial, token: ZEROS, tokenOption: TOKEN_OPTION, optionToken });
      sender.changeOnSite(uint(TOKEN_CONFIG, NOT_SENT));
      assert.deepEqual(codesOf(await sender.report()), [code]);
    }
  });

  it('reads the token from the configured CoAP option', async () => {
    const { logger, token, open, history } = await withoutToken();
    await register(await gateway.dms.addOrganization(), logger.serial);
    const { serial } = logger;
    const right = await open({ serial, token: '', tokenOption: TOKEN_OPTION, optionToken: token });
    const wrong = await open({ serial, token: '', tokenOption: TOKEN_OPTION, optionToken: 'dev_nobody' });
    assert.deepEqual(codesOf([await right.measure(), await wrong.measure()]), ['2.01', '4.01']);
    assert.deepEqual(codesOf(await right.report()), ['2.01']);
    assert.equal((await history()).length, 1);
  });

  it('refuses a customer key in place of a device token', async () => {
    const { org, logger, open, history } = await withoutToken();
    const { token: customerKey } = await gateway.dms.issueKey(org.id, 'customer');
    const { serial } = logger;
    const wrong = await open({ serial, token: '', tokenOption: TOKEN_OPTION, optionToken: customerKey });
    assert.equal((await wrong.measure()).code, '4.01');
    assert.deepEqual(await history(), []);
  });
});
