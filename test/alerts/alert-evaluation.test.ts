/** Alerts that the readings of a device open and resolve. */
import assert from 'node:assert/strict';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { FREEZER, FRIDGE } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { SENSOR_ERROR } from '../support/logger-payloads.ts';
import { type AlertItem, FRIDGE_BOUNDS, useDevice } from './harness.ts';

describe('The evaluation of readings', () => {
  const device = useDevice();
  const { alerts, at, confirmProfile, measure, newDevice, onlyAlert, reading, send, statuses } = device;

  describe('by a range', () => {
    beforeEach(() => confirmProfile(FRIDGE));

    it('opens an alert by the first reading above the range, with its time, channel, value and bounds', async () => {
      await measure(0, 8, 8.1);
      const { id, ...alert } = (await alerts())[0] as AlertItem;
      assert.ok(Math.abs(Date.parse(alert.updatedAt) - Date.now()) < 5 * MINUTE_MS);
      assert.deepEqual(alert, {
        recType: 'alert',
        assetId: device.assetId,
        serialNumber: device.serial,
        type: 'high_temp',
        severity: 'critical',
        status: 'new',
        details: { channel: 1, value: 8.1, bounds: FRIDGE_BOUNDS },
        timestamp: at(1),
        updatedAt: alert.updatedAt,
        late: false,
        endedAt: null,
        extreme: null,
        acknowledgedAt: null,
        acknowledgedBy: null,
        assignee: null,
        snoozeUntil: null,
        muted: false,
        escalation: null,
      });
      const { history: _, ...shown } = (await device.org.api.get(`/alerts/${id}`)).body;
      assert.deepEqual(shown, { id, ...alert });
    });

    it('resolves an alert when a reading is within the range by the hysteresis, and not before', async () => {
      await measure(0, 8.1, 7.6);
      assert.deepEqual(await statuses(), ['high_temp new']);
      await measure(2, 7.5);
      assert.deepEqual(await statuses(), ['high_temp resolved']);
      await measure(3, 1.9, 2.4);
      assert.deepEqual(await statuses(), ['high_temp resolved', 'low_temp new']);
      await measure(5, 2.5);
      assert.deepEqual(await statuses(), ['high_temp resolved', 'low_temp resolved']);
    });

    it('opens one alert when concurrent frames have breaches', async () => {
      await Promise.all(Array.from({ length: 30 }, (_, index) => send([reading(index, 9)])));
      assert.deepEqual(await statuses(), ['high_temp new']);
    });

    it('evaluates the readings of a frame in the order of their times', async () => {
      await send([reading(3, 1), reading(1, 9), reading(2, 5)]);
      assert.deepEqual(await statuses(), ['high_temp resolved', 'low_temp new']);
    });

    it('records the latest twenty alerts that one message opens and resolves, and goes on by all of its readings', async () => {
      const swings = Array.from({ length: 59 }, (_, minute) => reading(minute, minute % 2 === 0 ? 9 : 5));
      await measure(-1, 9);
      await send(swings);
      const begins = (await alerts()).map(({ status, timestamp }) => [status, timestamp]);
      const over = Array.from({ length: 20 }, (_, index) => ['resolved', at(18 + 2 * index)]);
      assert.deepEqual(begins, [['resolved', at(-1)], ...over, ['new', at(58)]]);
      const { body } = await device.org.api.get(
        `/assets/${device.assetId}/measurements?from=${at(0)}&to=${at(59)}&limit=500`,
      );
      assert.equal(body.items.length, 59);
      await measure(59, 5);
      assert.deepEqual(new Set(await statuses()), new Set(['high_temp resolved']));
    });

    it('opens no alert by other channels or quantities', async () => {
      await send([reading(0, 90, { channel: 2 }), reading(0, 90, { type: 'humidity', channel: 3 })]);
      await send([reading(1, 90, { type: 'humidity' })]);
      assert.deepEqual(await statuses(), []);
    });

    it('neither opens nor resolves an alert by a reading that is not newer than the last one', async () => {
      await measure(10, 5);
      await send([reading(9, 20)]);
      assert.deepEqual(await statuses(), []);
      await measure(11, 20);
      await send([reading(10.5, 5)]);
      assert.deepEqual(await statuses(), ['high_temp new']);
    });

    it('evaluates a frame with one reading late on its channel and another in time', async () => {
      await send([reading(5, 5), reading(0, 5, { channel: 2 })]);
      await send([reading(3, 20, { channel: 2 }), reading(6, 20)]);
      assert.deepEqual(await statuses(), ['high_temp new']);
    });
  });

  it('evaluates each position by its channel', async () => {
    await newDevice({ model: 'TVO-THT' });
    const high = (channel: string, highC: number) => ({ type: 'high', channel, highC });
    await confirmProfile({ temperatureAlerts: [high('ambient', 30), high('probe', 8)] });
    await send([reading(0, 20, { channel: 'ambient' }), reading(0, 20, { channel: 'probe' })]);
    assert.equal((await onlyAlert()).details.channel, 3);
    await send([reading(1, 31, { channel: 'ambient' }), reading(1, 5, { channel: 'probe' })]);
    assert.deepEqual(await statuses(), ['high_temp resolved', 'high_temp new']);
  });

  it('neither opens nor resolves a temperature alert by a sensor error, and marks no readings late because of one', async () => {
    await newDevice({}, 'ABCDEF000001');
    await confirmProfile(FREEZER);
    const { token } = await device.dms.issueKey(device.org.id, 'device');
    const temperatures = async () => (await statuses()).filter((each) => /_temp /.test(each));
    const logger = await openLogger({ serial: device.serial, coapPort: device.dms.coapPort, token });
    const [first, second, third, fourth] = [at(0), at(10), at(11), at(5)].map((time) => new Date(time));
    await logger.measure({ values: [-20, SENSOR_ERROR], at: first });
    assert.deepEqual(await temperatures(), []);
    await logger.measure({ values: [SENSOR_ERROR], at: second });
    await logger.measure({ values: [-3], at: fourth });
    assert.deepEqual(await temperatures(), ['high_temp new']);
    await logger.measure({ values: [SENSOR_ERROR, SENSOR_ERROR], at: third });
    assert.deepEqual(await temperatures(), ['high_temp new']);
    await logger.close();
  });

  describe('within a schedule', () => {
    const OFFICE = {
      ...FRIDGE,
      schedule: { always: false, days: ['wednesday'], from: '08:00', to: '18:00', timezone: 'Asia/Kolkata' },
    };
    /** A Wednesday, 23:59 in that zone. */
    const WEDNESDAY = Date.UTC(2027, 5, 16, 18, 29);
    const wednesday = (clock: string, value: number) =>
      reading(0, value, { measuredAt: new Date(`2027-06-16T${clock}:00+05:30`).toISOString() });

    beforeEach(async () => {
      await confirmProfile(OFFICE);
      device.setClock(WEDNESDAY);
    });

    it('resolves an open alert by the first reading after the schedule, with that reason', async () => {
      const webhook = await device.subscribe(['alert.resolved']);
      await send([wednesday('17:59', 20)]);
      assert.deepEqual(await statuses(), ['high_temp new']);
      await send([wednesday('18:00', 20), wednesday('18:05', 20)]);
      const { id, status, details } = await onlyAlert();
      const resolved = { channel: 1, value: 20, bounds: FRIDGE_BOUNDS, resolution: 'outside_schedule' };
      assert.deepEqual([status, details], ['resolved', resolved]);
      const [event, ...more] = await device.published(webhook);
      assert.deepEqual(more, []);
      assert.deepEqual([event.data.id, event.data.details], [id, resolved]);
      assert.equal(Date.parse(event.timestamp), Date.parse('2027-06-16T18:00:00+05:30'));
    });

    it('resolves an open alert by a sensor error after the schedule, and not within it', async () => {
      await newDevice({}, 'ABCDEF000002');
      await confirmProfile(OFFICE);
      const { token } = await device.dms.issueKey(device.org.id, 'device');
      const logger = await openLogger({ serial: device.serial, coapPort: device.dms.coapPort, token });
      const errorAt = (clock: string) =>
        logger.measure({ values: [SENSOR_ERROR], at: new Date(`2027-06-16T${clock}:00+05:30`) });
      const temperatures = async () => (await statuses()).filter((each) => /_temp /.test(each));
      await send([wednesday('17:50', 20)]);
      await errorAt('17:59');
      assert.deepEqual(await temperatures(), ['high_temp new']);
      await errorAt('18:00');
      assert.deepEqual(await temperatures(), ['high_temp resolved']);
      await logger.close();
    });
  });
});
