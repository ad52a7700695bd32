/** Measurements, device info and time over CoAP, from a logger to the running service. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { createProfile, eventually, FRIDGE } from '../support/fleet.ts';
import { SENSOR_ERROR } from '../support/logger-payloads.ts';
import { bytes, encoded, message, sints, text } from '../support/protobuf.ts';
import { type LoggerSetup, useGateway } from './harness.ts';

/** Numbers of the fields of ProtoConfig. */
const CURRENT_TIME = 8;
const REQUEST = 19;
const GET = 1;
const POST = 2;

/** Waits until a frame without an answer has been handled. */
const untilStored = ({ history }: LoggerSetup, count: number) =>
  eventually(history, (items) => items.length === count);

/** Service and test read the same clock. */
async function assertCurrent(readSeconds: () => Promise<number>): Promise<void> {
  const before = Math.floor(Date.now() / 1000);
  const seconds = await readSeconds();
  assert.ok(before <= seconds && seconds <= Math.ceil(Date.now() / 1000), `${seconds}, asked at ${before}`);
}

describe('The gateway', () => {
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const gateway = useGateway(() => ({ now }));
  afterEach(() => {
    aheadMs = 0;
  });

  describe('with measurements', () => {
    it('acknowledges a frame when its readings are in the history', async () => {
      const { logger, history } = await gateway.newLogger();
      const at = new Date(Math.floor(Date.now() / 1000) * 1000);
      const reply = await logger.measure({ values: [4.2, SENSOR_ERROR, -0.1], at });
      const items = await history();
      assert.deepEqual([reply.type, reply.code], [2, '2.01']);
      assert.deepEqual(
        items.map(({ channel, type, value, error, measuredAt }) => [
          channel,
          type,
          value ?? error,
          measuredAt,
        ]),
        [-0.1, SENSOR_ERROR, 4.2].map((value, index) => [
          1,
          'temperature',
          value,
          new Date(at.getTime() - index * MINUTE_MS).toISOString(),
        ]),
      );
    });

    it('keeps impossible values out of statistics and temperature alerts, and opens an alert for a sensor error', async () => {
      const setup = await gateway.newLogger();
      const { org, logger, assetId } = setup;
      await createProfile(org, FRIDGE);
      await setup.applyProfile('vaccine-fridge');
      const at = new Date(Math.floor(Date.now() / 1000) * 1000);
      await logger.measure({ values: [5, 4_000.1, 6], at: new Date(at.getTime() - MINUTE_MS) });
      await logger.measure({ values: [-273.3], at });
      const { items } = (await org.api.get(`/alerts?assetId=${assetId}`)).body;
      assert.deepEqual(
        items.map((alert: { type: string; details: object }) => [alert.type, alert.details]),
        [['sensor_error', { channel: 1, error: -2_733 }]],
      );
      const span = `from=${new Date(at.getTime() - HOUR_MS).toISOString()}&to=${new Date(at.getTime() + 1).toISOString()}`;
      const { channels } = (await org.api.get(`/assets/${assetId}/statistics?${span}`)).body;
      const { count, min, max, avg } = channels[0];
      assert.deepEqual([count, min, max, avg], [2, 5, 6, 5.5]);
      assert.ok(channels[0].meanKineticTemperature < 6);
    });

    it('shows battery, signal and newest reading of a frame on the asset', async () => {
      const { logger, asset } = await gateway.newLogger();
      await logger.measure({ signal: 9, isBatteryOk: false });
      const { status, batteryStatus, signalStrength, lastReadingAt } = await asset();
      assert.deepEqual([status, batteryStatus, signalStrength], ['online', 'low', 'poor']);
      assert.ok(Math.abs(Date.parse(lastReadingAt) - Date.now()) < 5 * MINUTE_MS);
    });

    it('reads a missing signal as 0, which is unknown, once a frame has carried one', async () => {
      const { logger, asset } = await gateway.newLogger();
      const signalAfter = async (frame: { signal?: number; batteryLevel?: number }) => {
        assert.equal((await logger.measure(frame)).code, '2.01');
        return (await asset()).signalStrength;
      };
      assert.equal(await signalAfter({ signal: 40 }), 'good');
      assert.equal(await signalAfter({}), 'unknown');
      assert.equal(await signalAfter({ signal: 12 }), 'fair');
      assert.equal(await signalAfter({ signal: 0 }), 'unknown');
    });

    it('keeps the signal of the device info while frames carry none, and that of a frame of later firmware', async () => {
      const { logger, asset } = await gateway.newLogger();
      const signalStrength = async () => (await asset()).signalStrength;
      await logger.sendInfo({ version: 0x0615, rssi: -80 });
      await logger.measure();
      assert.equal(await signalStrength(), 'good');
      await logger.measure({ signal: 12 });
      await logger.measure({ batteryLevel: 2_160 });
      assert.equal(await signalStrength(), 'fair');
      await logger.sendInfo({ version: 0x0615, rssi: -80 });
      await logger.measure();
      assert.equal(await signalStrength(), 'good');
    });

    it('sends the time with every acknowledgement of a frame', async () => {
      const { logger } = await gateway.newLogger();
      await assertCurrent(async () => (await logger.measure()).config[CURRENT_TIME] as number);
    });

    it('requests the configuration of a logger until it has reported the one that it runs', async () => {
      const { logger } = await gateway.newLogger();
      assert.equal((await logger.measure()).config[REQUEST], 1);
      await logger.report();
      assert.deepEqual(Object.keys((await logger.measure()).config), [String(CURRENT_TIME)]);
    });

    it('stores a non-confirmable frame and does not answer it', async () => {
      const setup = await gateway.newLogger();
      await setup.logger.measure({ confirmable: false });
      await untilStored(setup, 1);
      assert.equal((await setup.logger.measure()).code, '2.01');
      assert.equal(setup.logger.received.length, 1);
    });

    it('answers other bytes under a known message id with at most three times their size', async () => {
      const { org, logger, applyProfile } = await gateway.newLogger();
      await logger.measure();
      await logger.report();
      await createProfile(org, FRIDGE);
      await applyProfile('vaccine-fridge');
      const large = await logger.measure({ messageId: 4_660 });
      const [ping, empty, time] = ['40001234', '40021234b16d', '40011234b174'].map((hex) =>
        Buffer.from(hex, 'hex'),
      );
      for (const datagram of [ping, empty, time] as Buffer[]) {
        const { bytes } = await logger.exchange(datagram);
        assert.ok(large.bytes.length > 10 * datagram.length, `${large.bytes.length} bytes for the frame`);
        assert.ok(bytes.length <= 3 * datagram.length, `${bytes.length} bytes for ${datagram.length}`);
      }
    });

    it('answers a repeated datagram with the same bytes, and stores its readings once', async () => {
      const { logger, history } = await gateway.newLogger();
      const frame = logger.frame({ values: [1, 2] });
      const [first, second] = [await logger.exchange(frame), await logger.exchange(frame)];
      assert.deepEqual(second.bytes, first.bytes);
      assert.equal((await history()).length, 2);
    });
  });

  it('answers malformed messages with 4.00, and non-confirmable ones not at all', async () => {
    const { logger } = await gateway.newLogger();
    const malformed = Buffer.from('0a06282c02', 'hex');
    for (const path of ['m', 'c', 'i']) {
      assert.equal((await logger.send(path, malformed)).code, '4.00', path);
      await logger.send(path, malformed, { confirmable: false });
    }
    assert.equal((await logger.send('t', Buffer.alloc(0))).code, '2.05');
    assert.equal(logger.received.length, 4);
  });

  it('answers GET and POST of the time with four bytes of unix seconds', async () => {
    const { logger } = await gateway.newLogger();
    for (const method of [GET, POST]) {
      await assertCurrent(async () => {
        const { code, payload } = await logger.send('t', Buffer.alloc(0), { method });
        assert.deepEqual([code, payload.length], ['2.05', 4]);
        return payload.readUInt32BE();
      });
    }
  });

  it('answers a repeated request of the time with the current one', async () => {
    const { logger } = await gateway.newLogger();
    for (const method of ['01', '02']) {
      const request = Buffer.from(`40${method}1234b174`, 'hex');
      const first = (await logger.exchange(request)).payload.readUInt32BE();
      aheadMs += 60_000;
      const second = (await logger.exchange(request)).payload.readUInt32BE();
      assert.ok(second - first >= 60, `${second - first} s later`);
    }
  });

  describe('with device info', () => {
    it('stores firmware, battery and radio signal', async () => {
      const { logger, asset, assetId } = await gateway.newLogger();
      assert.equal((await logger.sendInfo({ version: 0x060a, rssi: -80 })).code, '2.01');
      assert.equal((await asset()).signalStrength, 'good');
      const [row] = await query<{ info: Record<string, unknown> }>(
        gateway.dms.service.sql,
        'select info from device_infos where asset_id = ?',
        [assetId],
      );
      const { softwareVersion, batteryMillivolts } = row?.info ?? {};
      assert.deepEqual([softwareVersion, batteryMillivolts], ['06.10', 3_600]);
    });

    it('accepts info with texts that are too long or no text in fields that the service does not read', async () => {
      const { logger, token, asset } = await gateway.newLogger();
      const odd = encoded([
        bytes(1, Buffer.from(logger.serial, 'hex')),
        text(16, token),
        message(14, [sints(2, [1, 1, 1, 1, -95, -11, -80, 9]), bytes(3, Buffer.alloc(60))]),
        text(15, 'c'.repeat(60)),
      ]);
      assert.equal((await logger.send('i', odd)).code, '2.01');
      assert.equal((await asset()).signalStrength, 'good');
    });

    it('keeps the signal of the last frame when the info has none', async () => {
      const { logger, asset } = await gateway.newLogger();
      await logger.measure({ signal: 12 });
      await logger.sendInfo({ version: 0x060a });
      assert.equal((await asset()).signalStrength, 'fair');
    });
  });
});
