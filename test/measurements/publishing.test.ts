/** Measurement events of a frame, as seen in the deliveries. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { payloadsOf } from '../support/payloads.ts';
import { ago, reading, series } from './fixtures.ts';
import { timesOf, useLogger } from './harness.ts';

describe('A measurement event', () => {
  const logger = useLogger();
  const { send } = logger;

  const subscribe = async () =>
    (await logger.org.api.post('/cellular-webhooks', { url: 'http://127.0.0.1:9/hooks' })).body.id as string;
  const payloads = (webhookId: string) => payloadsOf(logger.org, webhookId, 'cellular-webhooks');

  it('publishes a frame with its new readings, and without those stored before', async () => {
    const webhookId = await subscribe();
    const readings = series(2);
    const nextTransmissionAt = ago(-60);
    await send(readings.slice(1));
    await send(readings, { batteryStatus: 'ok', signal: 40, nextTransmissionAt });
    const [, { type, timestamp, data }] = await payloads(webhookId);
    assert.equal(type, 'data.measurement');
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 5 * 60_000);
    assert.deepEqual(data, {
      serialNumber: logger.serial,
      assetId: logger.assetId,
      assetName: logger.serial,
      batteryStatus: 'ok',
      signalStrength: 'good',
      nextTransmissionAt,
      readings: [{ ...reading(), measuredAt: timesOf(readings as never)[0], value: 0, unit: '°C' }],
    });
  });

  it('holds the readings for a webhook that is disabled as failing, and not for one that its owner disabled', async () => {
    const webhookId = await subscribe();
    for (const reason of ['failing', 'customer']) {
      const disable = `update endpoints set status = 'disabled', disabled_reason = ? where organization_id = ? and id = ?`;
      await query(logger.dms.service.sql, disable, [reason, logger.org.id, webhookId]);
      await send(series(1));
      assert.equal((await payloads(webhookId)).length, 1, reason);
    }
  });

  it('publishes no event when nobody subscribes', async () => {
    await send(series(2));
    const rows = await query(logger.dms.service.sql, 'select 1 from events where organization_id = ?', [
      logger.org.id,
    ]);
    assert.deepEqual(rows, []);
  });
});
