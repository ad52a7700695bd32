/** Effects of frames on the state of an asset. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { FACTORY, report } from '../support/fleet.ts';
import { ago, reading } from './fixtures.ts';
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
});
