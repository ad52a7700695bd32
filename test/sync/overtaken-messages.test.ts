/**
 * A message that waited in a process while newer ones of its device were applied. The device has repeated it, or its
 * connection was held up on the way.
 */
import assert from 'node:assert/strict';
import { MINUTE_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FACTORY,
  register,
  report,
  sendTemperature,
} from '../support/fleet.ts';
import { untilLockWaits, whileDeviceLocked } from '../support/lock-waits.ts';
import { useOrganization, useService } from '../support/service.ts';
import { beginRequest, type SlowRequest } from '../support/slow-request.ts';
import { CONCURRENT_PROFILES } from './profiles.ts';

describe('A message that newer ones have overtaken', () => {
  const dms = useService({ withWorker: false, now: () => new Date(Date.now() + aheadMs) });
  const org = useOrganization(dms);
  let token: string;
  let assetId: string;
  let aheadMs = 0;

  beforeEach(async () => {
    token = (await dms.issueKey(org.id, 'device')).token;
    assetId = await register(org, 'A');
    await createProfile(org, { slug: 'every-day', ...CONCURRENT_PROFILES['every-day'] });
    await report(org, 'A', FACTORY);
    await apply(org, 'every-day', { serialNumbers: ['A'] });
  });

  const pass = (ms: number) => {
    aheadMs += ms;
  };
  const begin = (operation: string, body: object): Promise<SlowRequest> =>
    beginRequest({ baseUrl: dms.baseUrl, path: `/devices/A/${operation}`, token, body });
  const finish = (request: SlowRequest) => {
    request.finish();
    return request.status();
  };
  const runs = async () => {
    const { deviceConfig, syncStatus } = await configOf(org, 'A');
    return [deviceConfig.transmissionInterval, syncStatus];
  };

  it('leaves the configuration as the newer report shows it, and lets a device that still waits report again', async () => {
    const first = await begin('config-reports', FACTORY);
    pass(5_000);
    await report(org, 'A', FACTORY);
    await applyAnswer(org, 'A');
    assert.equal(await finish(first), 503);
    assert.deepEqual(await runs(), [86_400, 'applied']);
    assert.equal((await report(org, 'A', FACTORY)).status, 200);
    assert.deepEqual(await runs(), [3_600, 'drifted']);
  });

  it('records a report that waited, however long, while no other came', async () => {
    await applyAnswer(org, 'A');
    pass(5_000);
    const first = await begin('config-reports', FACTORY);
    pass(MINUTE_MS);
    assert.equal(await finish(first), 200);
    assert.deepEqual(await runs(), [3_600, 'drifted']);
  });

  it('records a report at once although the clock was set back since the last one', async () => {
    await applyAnswer(org, 'A');
    pass(-60 * MINUTE_MS);
    assert.equal((await report(org, 'A', FACTORY)).status, 200);
    assert.deepEqual(await runs(), [3_600, 'drifted']);
  });

  /** Sends the report, and closes its connection while the device is locked. */
  async function abandonWhileLocked(config: object): Promise<void> {
    await whileDeviceLocked(dms.service.sql, assetId, async () => {
      const request = await begin('config-reports', config);
      request.finish();
      await untilLockWaits(dms.service.sql, 1);
      request.abandon();
      // The server has noticed by its second answer to another connection.
      for (let count = 0; count < 2; count++) await configOf(org, 'A');
    });
    // Committed after the abandoned report, which came first.
    await sendTemperature(org, 'A', 4);
  }

  it('leaves out a report that its device has given up, soon after another one', async () => {
    await applyAnswer(org, 'A');
    await abandonWhileLocked(FACTORY);
    assert.deepEqual(await runs(), [86_400, 'applied']);
  });

  it('records a report that its device has given up when there was no other for minutes', async () => {
    await applyAnswer(org, 'A');
    pass(3 * MINUTE_MS);
    await abandonWhileLocked(FACTORY);
    assert.deepEqual(await runs(), [3_600, 'drifted']);
  });

  const readingNow = () => {
    const measuredAt = new Date(Date.now() + aheadMs).toISOString();
    return { channel: 1, type: 'temperature', value: 4, measuredAt };
  };

  it('leaves a change that came meanwhile to the next frame', async () => {
    const first = await begin('measurements', { readings: [readingNow()] });
    pass(5_000);
    await org.device.post('/devices/A/measurements', { readings: [readingNow()] });
    await createProfile(org, { slug: 'ten-minutes', ...CONCURRENT_PROFILES['ten-minutes'] });
    await apply(org, 'ten-minutes', { serialNumbers: ['A'] });
    assert.equal(await finish(first), 202);
    assert.equal((await configOf(org, 'A')).syncStatus, 'pending');
    await org.device.post('/devices/A/measurements', { readings: [readingNow()] });
    assert.equal((await configOf(org, 'A')).syncStatus, 'sent');
  });

  it('stores the readings of a frame, and keeps the state that the newer one shows', async () => {
    const readings = [readingNow()];
    const first = await begin('measurements', { readings, batteryStatus: 'low', signal: 1 });
    pass(5_000);
    await org.device.post('/devices/A/measurements', {
      readings: [readingNow()],
      batteryStatus: 'ok',
      signal: 60,
    });
    assert.equal(await finish(first), 202);
    const { batteryStatus, signalStrength } = (await org.api.get(`/assets/${assetId}`)).body;
    assert.deepEqual([batteryStatus, signalStrength], ['ok', 'good']);
    assert.equal((await org.api.get(`/assets/${assetId}/measurements`)).body.items.length, 2);
  });
});
