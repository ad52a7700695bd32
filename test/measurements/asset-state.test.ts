/** Effects of frames on the state of an asset. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { Reading } from '../../src/devices/reading.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { FACTORY, report } from '../support/fleet.ts';
import { ago, reading, SENSOR_FAULT, temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

describe('An asset', () => {
  const logger = useLogger();
  const { history, newSerial, send } = logger;

  it('shows an asset online from its first frame on, with its newest reading', async () => {
    assert.deepEqual([(await logger.asset()).status, (await logger.asset()).lastReadingAt], ['new', null]);
    const measuredAt = ago(2);
    await send([reading({ measuredAt: ago(5) }), reading({ measuredAt })]);
    await send([reading({ measuredAt: ago(60) })]);
    const { status, lastReadingAt } = await logger.asset();
    assert.deepEqual([status, lastReadingAt], ['online', measuredAt]);
  });

  it('shows the last reading of a correct clock after a fast one was set right, and finds the asset by it', async () => {
    const found = async (minutesAgo: number) => {
      const query = `lastReadingBefore=${ago(minutesAgo)}`;
      return (await logger.org.api.get(`/assets?${query}`)).body.items.map(({ id }: { id: string }) => id);
    };
    await send([reading({ measuredAt: ago(-23 * 60) })]);
    assert.deepEqual(await found(-60), []);
    const measuredAt = ago(1);
    await send([reading({ measuredAt })]);
    const { lastReadingAt, latest } = await logger.asset();
    assert.deepEqual([lastReadingAt, latest[0].measuredAt], [measuredAt, measuredAt]);
    assert.deepEqual(await found(0), [logger.assetId]);
    assert.deepEqual(await found(2), []);
  });

  it('sets the deadline by next transmission, interval and grace, and removes it when the asset is archived', async () => {
    const expectedIn = async () => {
      const [row] = await query<{ at: Date | null }>(
        logger.dms.service.sql,
        'select expected_by as at from device_states where asset_id = ?',
        [logger.assetId],
      );
      return row?.at && Math.round((row.at.getTime() - Date.now()) / MINUTE_MS);
    };
    await send([reading()]);
    assert.equal(await expectedIn(), null);
    await send([reading()], { nextTransmissionAt: ago(-30) });
    assert.equal(await expectedIn(), 40);
    await report(logger.org, logger.serial, FACTORY);
    await send([reading()]);
    assert.equal(await expectedIn(), 120);
    await send([reading()], { nextTransmissionAt: ago(-30) });
    assert.equal(await expectedIn(), 90);
    await logger.org.api.delete(`/assets/${logger.assetId}`);
    assert.equal(await expectedIn(), null);
  });

  it('keeps the history with new hardware, and forgets battery and signal of the old hardware', async () => {
    await send([reading()], { signal: 40, batteryStatus: 'low' });
    const fresh = newSerial('Logger');
    await logger.org.api.post(`/assets/${logger.assetId}/replace-hardware`, { newSerialNumber: fresh });
    const { signalStrength, batteryStatus } = (await logger.org.api.get(`/assets/${logger.assetId}`)).body;
    assert.deepEqual([signalStrength, batteryStatus], ['unknown', 'unknown']);
    assert.equal((await send([reading()])).status, 404);
    await send([reading({ measuredAt: ago(3) })], {}, fresh);
    assert.equal((await history()).items.length, 2);
  });

  it('shows an asset online when its device has reported a configuration, without any frame', async () => {
    assert.equal((await logger.asset()).status, 'new');
    await report(logger.org, logger.serial, FACTORY);
    assert.equal((await logger.asset()).status, 'online');
  });

  describe('with its latest readings', () => {
    const latest = async () => (await logger.asset()).latest;
    const values = async () =>
      (await latest()).map(({ channel, value }: { channel: number; value: number }) => [channel, value]);
    const receive = (...readings: Reading[]) => logger.intakeWith().receive(logger.frame({ readings }));

    it('shows the newest sample of each channel, on the asset and in the list', async () => {
      assert.deepEqual(await latest(), []);
      const measuredAt = ago(2);
      await send([
        reading({ channel: 'probe', measuredAt, value: 4.25 }),
        reading({ channel: 'probe', measuredAt: ago(3), value: 9 }),
        reading({ channel: 2, type: 'humidity', value: 41, measuredAt: ago(4) }),
      ]);
      await send([reading({ channel: 2, type: 'humidity', value: 42, measuredAt })]);
      const expected = [
        { channel: 1, position: 'probe', type: 'temperature', value: 4.25, unit: '°C', measuredAt },
        { channel: 2, position: null, type: 'humidity', value: 42, unit: '%', measuredAt },
      ];
      assert.deepEqual(await latest(), expected);
      assert.deepEqual((await logger.org.api.get('/assets')).body.items[0].latest, expected);
    });

    it('shows a sensor error as value null with its code, until a newer sample comes', async () => {
      await receive(temperature(-5));
      const fault = temperature(-3, { value: null, error: SENSOR_FAULT });
      await receive(fault);
      const [shown] = await latest();
      assert.deepEqual([shown.value, shown.error], [null, SENSOR_FAULT]);
      assert.equal(shown.measuredAt, fault.measuredAt.toISOString());
      await receive(temperature(-4));
      assert.equal((await latest())[0].error, SENSOR_FAULT);
      await receive(temperature(-2));
      assert.deepEqual(await values(), [[1, -2]]);
    });

    it('ignores late samples', async () => {
      const measuredAt = ago(10);
      await send([reading({ measuredAt, value: 10 })]);
      await send([reading({ measuredAt: ago(20), value: 20 }), reading({ measuredAt: ago(30), value: 30 })]);
      assert.deepEqual(await values(), [[1, 10]]);
      await send([reading({ measuredAt, value: 11 })]);
      assert.deepEqual(await values(), [[1, 10]]);
    });

    it('shows the newest of late samples when there are no others', async () => {
      await send([
        reading({ measuredAt: ago(3_000), value: 1 }),
        reading({ measuredAt: ago(2_990), value: 2 }),
      ]);
      assert.deepEqual(await values(), [[1, 2]]);
      await send([reading({ measuredAt: ago(2_000), value: 3 })]);
      await send([reading({ measuredAt: ago(2_500), value: 4 })]);
      assert.deepEqual(await values(), [[1, 3]]);
      await send([reading({ value: 5 })]);
      await send([reading({ measuredAt: ago(10), value: 6 })]);
      assert.deepEqual(await values(), [[1, 5]]);
    });

    it('replaces readings from a fast clock after correction', async () => {
      await send([reading({ measuredAt: ago(-60), value: 60 })]);
      await send([reading({ measuredAt: ago(2_000), value: 2 })]);
      assert.deepEqual(await values(), [[1, 2]]);
      assert.equal((await logger.asset()).lastReadingAt, (await latest())[0].measuredAt);
      await send([reading({ measuredAt: ago(1), value: 1 })]);
      assert.deepEqual(await values(), [[1, 1]]);
    });

    it('keeps the latest readings with new hardware', async () => {
      await send([reading({ value: 7 })]);
      await logger.org.api.post(`/assets/${logger.assetId}/replace-hardware`, {
        newSerialNumber: newSerial('New'),
      });
      assert.deepEqual(await values(), [[1, 7]]);
    });

    it('reads nothing from the history', async () => {
      await send([reading({ value: 7 })]);
      await query(logger.dms.service.sql, 'delete from measurement_blocks where asset_id = ?', [
        logger.assetId,
      ]);
      assert.deepEqual(await values(), [[1, 7]]);
    });
  });
});
