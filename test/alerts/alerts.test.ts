/** Alerts over the API: their lists, and those that need no profile. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { FRIDGE } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { SENSOR_ERROR } from '../support/logger-payloads.ts';
import { type AlertItem, useDevice } from './harness.ts';

describe('The API of alerts', () => {
  const device = useDevice();
  const {
    acknowledge,
    alerts,
    at,
    confirmProfile,
    list,
    measure,
    newDevice,
    onlyAlert,
    reading,
    send,
    statuses,
  } = device;

  describe('in lists', () => {
    beforeEach(async () => {
      await confirmProfile(FRIDGE);
      await measure(0, 20, 5, 20, 1, 20);
    });

    it('lists alerts newest first, with the total on each page', async () => {
      const pages: AlertItem[][] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list(`&limit=3${cursor && `&cursor=${cursor}`}`);
        assert.equal(page.totalItems, 4);
        pages.push(page.items);
        cursor = page.nextCursor;
      }
      assert.deepEqual(
        pages.map((page) => page.map(({ timestamp }) => timestamp)),
        [[at(4), at(3), at(2)], [at(0)]],
      );
    });

    it('filters alerts by status', async () => {
      const [last] = (await list('&status=new')).items;
      assert.equal((await list('&status=new')).totalItems, 1);
      assert.equal((await list('&status=resolved')).totalItems, 3);
      assert.equal((await list('&status=acknowledged')).totalItems, 0);
      await acknowledge((last as AlertItem).id);
      assert.equal((await list('&status=acknowledged')).totalItems, 1);
    });
  });

  describe('without a profile', () => {
    const battery = (minute: number, batteryStatus: string) => send([reading(minute, 5)], { batteryStatus });

    it('opens an alert by a low battery, and resolves it when the flag is gone', async () => {
      await battery(0, 'low');
      await measure(1, 5);
      const { type, details } = await onlyAlert();
      assert.deepEqual([type, details], ['low_battery', {}]);
      await battery(2, 'ok');
      assert.deepEqual(await statuses(), ['low_battery resolved']);
      await battery(3, 'low');
      assert.deepEqual(await statuses(), ['low_battery resolved', 'low_battery new']);
    });

    it('opens an alert when the newest sample of a sensor is an error, and resolves it by the next value', async () => {
      await newDevice({}, 'ABCDEF000002');
      const { token } = await device.dms.issueKey(device.org.id, 'device');
      const logger = await openLogger({ serial: device.serial, coapPort: device.dms.coapPort, token });
      await logger.measure({ values: [SENSOR_ERROR, 5], at: new Date(at(0)) });
      assert.deepEqual(await statuses(), []);
      await logger.measure({ values: [5, SENSOR_ERROR], at: new Date(at(10)) });
      const { type, details } = await onlyAlert();
      assert.deepEqual([type, details.channel, Number.isInteger(details.error)], ['sensor_error', 1, true]);
      await logger.measure({ values: [5], at: new Date(at(20)) });
      assert.deepEqual(await statuses(), ['sensor_error resolved']);
      await logger.close();
    });

    it('resolves the alerts about the hardware of a logger that is replaced, and publishes that', async () => {
      await newDevice({}, 'ABCDEF000003');
      const webhookId = await device.subscribe(['alert.resolved']);
      const { token } = await device.dms.issueKey(device.org.id, 'device');
      const logger = await openLogger({ serial: device.serial, coapPort: device.dms.coapPort, token });
      await logger.measure({ values: [SENSOR_ERROR], at: new Date(at(0)) });
      await logger.close();
      await send([reading(1, 5, { channel: 2 })], { batteryStatus: 'low' });
      assert.deepEqual(await statuses(), ['sensor_error new', 'low_battery new']);
      await device.replaceHardware();
      assert.deepEqual(await statuses(), ['sensor_error resolved', 'low_battery resolved']);
      const events = await device.published(webhookId);
      assert.deepEqual(events.map(({ data }) => data.type).sort(), ['low_battery', 'sensor_error']);
    });

    it('publishes the opening and the resolution of these alerts', async () => {
      const webhookId = await device.subscribe(['alert.created', 'alert.resolved']);
      await battery(0, 'low');
      await battery(1, 'ok');
      const events = await device.published(webhookId);
      assert.deepEqual(
        events.map(({ type, data }) => [type, data.type, data.status]),
        [
          ['alert.created', 'low_battery', 'new'],
          ['alert.resolved', 'low_battery', 'resolved'],
        ],
      );
    });

    it('keeps these alerts open while temperature alerts open and end, and resolves them with the asset', async () => {
      await confirmProfile(FRIDGE);
      await battery(0, 'low');
      await measure(1, 20, 5);
      assert.deepEqual(await statuses(), ['low_battery new', 'high_temp resolved']);
      await device.org.api.delete(`/assets/${device.assetId}`);
      const rows = await query<{ status: string }>(
        device.dms.service.sql,
        'select status from alerts where organization_id = ? order by id',
        [device.org.id],
      );
      assert.deepEqual(
        rows.map(({ status }) => status),
        ['resolved', 'resolved'],
      );
    });

    it('lists these alerts by their type, with the total of that type', async () => {
      await confirmProfile(FRIDGE);
      await battery(0, 'low');
      await measure(1, 20);
      const { items, totalItems } = await list('&type=low_battery');
      assert.deepEqual([items.map(({ type }) => type), totalItems], [['low_battery'], 1]);
      const { body } = await device.org.api.get('/alerts?type=high_temp&status=new');
      assert.deepEqual([body.items.length, body.totalItems], [1, 1]);
      const none = await device.org.api.get('/alerts?type=high_temp&status=resolved');
      assert.deepEqual([none.body.items.length, none.body.totalItems], [0, 0]);
      const all = await device.org.api.get('/alerts');
      assert.equal(all.body.totalItems, (await alerts()).length);
      for (const filter of ['type=fire', 'assetId=nonsense'])
        assert.equal((await device.org.api.get(`/alerts?${filter}`)).status, 400, filter);
    });
  });
});
