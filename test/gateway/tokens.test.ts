/** How a logger over CoAP is known: by its token, by its serial where no token is required, and when by neither. */
import assert from 'node:assert/strict';
import { freePort } from '../../dev/embedded/free-port.ts';
import { createUnregisteredDevicesRepository } from '../../src/devices/unregistered-devices.repository.ts';
import { configOf, register } from '../support/fleet.ts';
import { uint } from '../support/protobuf.ts';
import {
  assetId,
  closeLoggers,
  codesOf,
  config,
  dms,
  HOUR_MS,
  history,
  logger,
  MINUTE_MS,
  newCustomer,
  newDevice,
  open,
  org,
  startGateway,
  token,
} from './harness.ts';

describe('A logger over CoAP', () => {
  /** What the service's clock is ahead of ours. */
  let aheadMs = 0;

  before(async () =>
    startGateway({
      settings: { metricsPort: await freePort() },
      now: () => new Date(Date.now() + aheadMs),
    }),
  );
  after(() => dms.stop());
  beforeEach(async () => {
    aheadMs = 0;
    await newCustomer();
    await newDevice();
  });
  afterEach(closeLoggers);

  describe('with a token', () => {
    it('that is wrong is refused with 4.01 wherever it speaks, and nothing is stored', async () => {
      await logger.measure();
      const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
      const before = await history();
      const at = new Date(Date.now() - HOUR_MS);
      assert.equal((await logger.measure({ at, token: wrong })).code, '4.01');
      assert.deepEqual(codesOf(await logger.report({ token: wrong })), ['4.01']);
      const stranger = await open({ serial: logger.serial, token: wrong });
      assert.equal((await stranger.tell({ version: 0x0702 })).code, '4.01');
      assert.deepEqual(await history(), before);
      assert.equal((await config()).deviceConfig, null);
    });

    it('that is wrong and without wanting an answer gets none', async () => {
      await logger.measure({ confirmable: false, token: 'dev_nobody' });
      assert.equal((await logger.send('t', Buffer.alloc(0))).code, '2.05');
      assert.equal(logger.heard.length, 1);
      assert.deepEqual(await history(), []);
    });

    it('that is refused is counted, by the reason', async () => {
      const countOf = async (reason: string) => {
        const answer = await fetch(`http://127.0.0.1:${dms.settings.metricsPort}/metrics`);
        const line = new RegExp(`^dms_coap_refused_total\\{reason="${reason}"\\} (\\d+)$`, 'm');
        return Number(line.exec(await answer.text())?.[1] ?? 0);
      };
      const stranger = await open();
      for (const [reason, refused] of [
        ['wrong_token', () => logger.measure({ token: 'dev_nobody' })],
        ['missing_token', () => logger.measure({ token: '' })],
        ['unknown_serial', () => stranger.measure()],
      ] as const) {
        const before = await countOf(reason);
        await refused();
        assert.equal(await countOf(reason), before + 1, reason);
      }
    });

    it('that is missing or empty is refused, where tokens are required', async () => {
      for (const none of [null, '']) {
        assert.equal((await logger.measure({ token: none })).code, '4.01');
        assert.deepEqual(codesOf(await logger.report({ token: none })), ['4.01']);
      }
      const silent = await open({ serial: logger.serial, token: undefined });
      assert.equal((await silent.tell({ version: 0x0702 })).code, '4.01');
      assert.deepEqual(await history(), []);
    });

    it('may leave it out of a report that comes from where its measurements came from', async () => {
      await logger.measure();
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['2.01']);
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('may send the parts of a report from one port and another, as an address translator has it', async () => {
      const sameDevice = await open({ serial: logger.serial });
      await logger.report({ order: [1, 1] });
      assert.equal((await configOf(org, logger.serial)).syncStatus, 'no_device_report');
      await sameDevice.report({ order: [2, 2], hash: logger.hash });
      assert.equal((await configOf(org, logger.serial)).syncStatus, 'applied');
    });

    it('is refused in each part of a report where it is wrong or missing, and nothing of that part is taken', async () => {
      const stranger = await open({ serial: logger.serial, token: undefined });
      stranger.changeOnSite(uint(2, 120));
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

    it('of another organization in a part of a report puts nothing into it', async () => {
      const other = await dms.addOrganization();
      const { token: otherToken } = await dms.issueKey(other.id, 'device');
      await register(other, logger.serial);
      const stranger = await open({ serial: logger.serial, token: otherToken });
      stranger.changeOnSite(uint(2, 120));
      assert.deepEqual(codesOf(await stranger.report({ order: [1, 1], hash: 1 })), ['2.01', '2.01']);
      await logger.report({ order: [2, 1] });
      assert.equal((await config()).deviceConfig.measurementPeriodBase, 60);
      assert.equal((await configOf(other, logger.serial)).syncStatus, 'no_device_report');
    });

    it('but of a serial that nobody registered gets 4.04 for a part of a report, too', async () => {
      const stranger = await open();
      assert.deepEqual(codesOf(await stranger.report({ order: [1, 2] })), ['4.04', '4.04']);
    });

    it('may not leave it out of a report that comes from elsewhere, or of another device, or of its next frame', async () => {
      await logger.measure();
      const elsewhere = await open({ serial: logger.serial, token: undefined });
      assert.deepEqual(codesOf(await elsewhere.report()), ['4.01']);
      assert.equal((await logger.measure({ token: '' })).code, '4.01');
    });

    it('may not leave it out of a report an hour after its measurements', async () => {
      await logger.measure();
      aheadMs = HOUR_MS + MINUTE_MS;
      assert.deepEqual(codesOf(await logger.report({ token: '' })), ['4.01']);
    });

    it('but of a serial that nobody registered gets 4.04, and is listed for the operator', async () => {
      const stranger = await open();
      assert.equal((await stranger.measure()).code, '4.04');
      assert.deepEqual(codesOf(await stranger.report()), ['4.04']);
      assert.equal((await stranger.tell({ version: 0x0614 })).code, '4.04');
      const listed = await createUnregisteredDevicesRepository(dms.service.sql).list(1);
      assert.deepEqual(
        listed.map(({ serialNumber, contactCount }) => [serialNumber.toUpperCase(), contactCount]),
        [[stranger.serial, 3]],
      );
    });

    it("but of another organization's serial gets 4.04", async () => {
      const other = await dms.addOrganization();
      const { token: otherToken } = await dms.issueKey(other.id, 'device');
      assert.equal((await logger.measure({ token: otherToken })).code, '4.04');
      assert.deepEqual(await history(), []);
    });

    it('but of an archived asset gets 4.04', async () => {
      await org.api.delete(`/assets/${assetId}`);
      assert.equal((await logger.measure()).code, '4.04');
    });
  });
});

describe('A logger over CoAP where tokens are not required', () => {
  const TOKEN_OPTION = 2_051;

  before(async () => {
    await startGateway({
      settings: { coap: { port: 0, isTokenRequired: false, tokenOption: TOKEN_OPTION } },
    });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    await newCustomer();
    await newDevice({ token: '' });
  });
  afterEach(closeLoggers);

  it('is known by its serial, when one organization has registered it', async () => {
    assert.equal((await logger.measure()).code, '2.01');
    assert.deepEqual(codesOf(await logger.report()), ['2.01']);
    assert.equal((await logger.tell({ version: 0x0614 })).code, '2.01');
    assert.equal((await history()).length, 1);
  });

  it('is refused with 4.01 when two have, and with 4.04 when none has', async () => {
    await register(await dms.addOrganization(), logger.serial.toLowerCase());
    assert.equal((await logger.measure()).code, '4.01');
    assert.equal((await (await open({ token: undefined })).measure()).code, '4.04');
    assert.deepEqual(await history(), []);
  });

  it('tells two organizations apart by its token', async () => {
    await register(await dms.addOrganization(), logger.serial);
    assert.equal((await logger.measure({ token })).code, '2.01');
    assert.equal((await history()).length, 1);
  });

  it('is refused when its token is wrong, however well its serial is known', async () => {
    assert.equal((await logger.measure({ token: 'dev_nobody' })).code, '4.01');
    assert.deepEqual(codesOf(await logger.report({ token: 'dev_nobody' })), ['4.01']);
    assert.deepEqual(await history(), []);
  });

  it('may carry its token in the CoAP option that the operator chose', async () => {
    await register(await dms.addOrganization(), logger.serial);
    const { serial } = logger;
    const right = await open({ serial, token: '', tokenOption: TOKEN_OPTION, optionToken: token });
    const wrong = await open({ serial, token: '', tokenOption: TOKEN_OPTION, optionToken: 'dev_nobody' });
    assert.deepEqual(codesOf([await right.measure(), await wrong.measure()]), ['2.01', '4.01']);
    assert.deepEqual(codesOf(await right.report()), ['2.01']);
    assert.equal((await history()).length, 1);
  });

  it("may not speak with a customer's key", async () => {
    const { token: customerKey } = await dms.issueKey(org.id, 'customer');
    const { serial } = logger;
    const wrong = await open({ serial, token: '', tokenOption: TOKEN_OPTION, optionToken: customerKey });
    assert.equal((await wrong.measure()).code, '4.01');
    assert.deepEqual(await history(), []);
  });
});
