/** The newest sample of each channel, on the asset. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { Reading } from '../../src/devices/reading.ts';
import { ago, reading, SENSOR_FAULT, temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

describe('The latest readings of an asset', () => {
  const logger = useLogger();
  const { send, newSerial } = logger;
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
