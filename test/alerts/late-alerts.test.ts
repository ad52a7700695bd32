/** Alerts of excursions in late data, from the frame to the list of alerts. */
import assert from 'node:assert/strict';
import { FRIDGE } from '../support/fleet.ts';
import { FRIDGE_BOUNDS, MINUTE_MS, useDevice } from './harness.ts';

const HOUR = 60;

describe('Late readings', () => {
  const device = useDevice({ withWorker: false });
  const { alerts, reading, send, statuses } = device;
  /** Minutes after the readings of the test begin: ahead of the clock of the database, by which assets are registered. */
  const ahead = (minute: number) => 24 * HOUR + minute;
  const at = (minute: number) => device.at(ahead(minute));
  const setMinute = (minute: number) => device.setClock(Date.parse(at(minute)));
  /** A frame that arrives then. */
  async function measure(minute: number, readings: Array<[minute: number, value: number]>): Promise<void> {
    setMinute(minute);
    await send(readings.map(([measured, value]) => reading(ahead(measured), value)));
  }
  const summary = async () =>
    (await alerts()).map(({ late, status, timestamp, endedAt, extreme }) => ({
      late,
      status,
      span: [toMinute(timestamp), endedAt && toMinute(endedAt)],
      extreme: extreme && [extreme.value, toMinute(extreme.at)],
    }));
  const toMinute = (time: string) => (Date.parse(time) - Date.parse(at(0))) / MINUTE_MS;
  const late = (from: number, to: number, value: number, extremeAt: number) => ({
    late: true,
    status: 'resolved',
    span: [from, to],
    extreme: [value, extremeAt],
  });

  beforeEach(async () => {
    setMinute(-HOUR);
    await device.confirmProfile(FRIDGE);
  });

  it('in breach make an alert that is over, and both of its events', async () => {
    const webhook = await device.subscribe(['alert.created', 'alert.resolved', 'data.measurement.alert']);
    await measure(100, [[100, 5]]);
    await measure(101, [
      [10, 5],
      [20, 9],
      [30, 11],
      [40, 10],
      [50, 5],
    ]);
    assert.deepEqual(await summary(), [late(20, 50, 11, 30)]);
    const [alert] = await alerts();
    assert.deepEqual(
      [alert?.type, alert?.severity, alert?.details],
      ['high_temp', 'critical', { channel: 1, value: 9, bounds: FRIDGE_BOUNDS }],
    );
    assert.deepEqual(
      (await device.published(webhook)).map(({ type, timestamp, data }) => [type, timestamp, data]),
      [
        ['alert.created', at(20), alert],
        ['alert.resolved', at(50), alert],
      ],
    );
    assert.equal((await device.org.api.get(`/assets/${device.assetId}`)).body.openAlerts, 0);
  });

  it('within the bounds of their time make none', async () => {
    await measure(100, [[100, 5]]);
    await measure(101, [
      [10, 5],
      [20, 8],
    ]);
    assert.deepEqual(await statuses(), []);
  });
});
