/** Events of alerts, as seen in the deliveries. */
import assert from 'node:assert/strict';
import { FRIDGE } from '../support/fleet.ts';
import { payloadsOf } from '../support/payloads.ts';
import { CLOSED_URL, FRIDGE_BOUNDS, useDevice } from './harness.ts';

const ALERT_EVENTS = ['alert.created', 'alert.resolved', 'data.measurement.alert'];

describe('The events of alerts', () => {
  const device = useDevice();
  const { alerts, at, confirmProfile, measure, onlyAlert, published, reading, send, subscribe } = device;

  beforeEach(() => confirmProfile(FRIDGE));

  it('publishes the frame, the breach, the created alert and the resolved alert', async () => {
    const webhookId = await subscribe(ALERT_EVENTS);
    const { id: cellularId } = (await device.org.api.post('/cellular-webhooks', { url: CLOSED_URL })).body;
    await send([reading(0, 20), reading(1, 50, { type: 'humidity', channel: 2 })], { batteryStatus: 'ok' });
    const alert = await onlyAlert();
    await measure(2, 5);
    const frame = {
      serialNumber: device.serial,
      assetId: device.assetId,
      assetName: `Room of ${device.serial}`,
      batteryStatus: 'ok',
      signalStrength: 'unknown',
      nextTransmissionAt: null,
    };
    const readings = [
      { ...reading(0, 20), unit: '°C' },
      { ...reading(1, 50, { type: 'humidity', channel: 2 }), unit: '%' },
    ];
    const measured = await payloadsOf(device.org, cellularId, 'cellular-webhooks');
    assert.deepEqual(
      measured.map(({ type, data }) => [type, data]),
      [
        ['data.measurement', { ...frame, readings }],
        ['data.measurement', { ...frame, readings: [{ ...reading(2, 5), unit: '°C' }] }],
      ],
    );
    const events = await published(webhookId);
    assert.deepEqual(events.map(({ type }) => type).toSorted(), ALERT_EVENTS.toSorted());
    const of = (wanted: string) => events.find(({ type }) => type === wanted);
    const breach = { ...frame, alertId: alert.id, bounds: FRIDGE_BOUNDS, readings };
    assert.deepEqual(of('data.measurement.alert').data, breach);
    assert.deepEqual([of('alert.created').data, of('alert.created').timestamp], [alert, at(0)]);
    assert.deepEqual(of('alert.resolved').data, await onlyAlert());
  });

  it('publishes alerts in the order of the readings that opened and resolved them', async () => {
    const webhookId = await subscribe(['alert.created', 'alert.resolved']);
    await send([5, 12, 5, 12, 5].map((value, minute) => reading(minute, value)));
    assert.deepEqual(
      (await published(webhookId)).map(({ type, timestamp }) => [type, timestamp]),
      [
        ['alert.created', at(1)],
        ['alert.resolved', at(2)],
        ['alert.created', at(3)],
        ['alert.resolved', at(4)],
      ],
    );
  });

  it('publishes each frame with a breach under the id of its alert', async () => {
    const webhookId = await subscribe(['data.measurement.alert']);
    await measure(0, 20, 21, 7.9, 5);
    const { id } = await onlyAlert();
    assert.deepEqual(
      (await published(webhookId)).map(({ data }) => [data.alertId, data.readings[0].value]),
      [
        [id, 20],
        [id, 21],
      ],
    );
  });

  it('publishes a frame once for each alert that it breaches', async () => {
    const webhookId = await subscribe(['data.measurement.alert', 'alert.created', 'alert.resolved']);
    await send([reading(0, 20), reading(1, 21), reading(2, 1)]);
    const [high, low] = (await alerts()).map(({ id }) => id);
    const all = await published(webhookId);
    const idsOf = (type: string) =>
      all
        .filter((event) => event.type === type)
        .map(({ data }) => data.alertId ?? data.id)
        .toSorted();
    assert.deepEqual(idsOf('data.measurement.alert'), [high, low].toSorted());
    assert.deepEqual(idsOf('alert.created'), [high, low].toSorted());
    assert.deepEqual(idsOf('alert.resolved'), [high]);
  });

  it('publishes a frame for the twenty alerts that it breaches last', async () => {
    const webhookId = await subscribe(['data.measurement.alert']);
    await send(Array.from({ length: 41 }, (_, minute) => reading(minute, minute % 2 === 0 ? 9 : 5)));
    const [, ...latest] = (await alerts()).map(({ id }) => id);
    assert.equal(latest.length, 20);
    const named = (await published(webhookId)).map(({ data }) => data.alertId);
    assert.deepEqual(named.toSorted(), latest.toSorted());
  });

  it('publishes late readings as measurements, not as breaches', async () => {
    const webhookId = await subscribe(ALERT_EVENTS);
    await device.org.api.post('/cellular-webhooks', { url: CLOSED_URL });
    await measure(10, 5);
    await send([reading(9, 20)]);
    assert.deepEqual(await published(webhookId), []);
    assert.equal(await device.countEvents(), 2);
  });

  it('publishes alerts that new rules or archiving resolve', async () => {
    const webhookId = await subscribe(['alert.resolved']);
    await measure(0, 20);
    await confirmProfile({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 10 }] });
    await measure(1, 20);
    await device.org.api.delete(`/assets/${device.assetId}`);
    const [first, second] = await alerts();
    assert.deepEqual(
      (await published(webhookId)).map(({ data }) => [data.id, data.status]),
      [
        [first?.id, 'resolved'],
        [second?.id, 'resolved'],
      ],
    );
  });
});

describe('The metrics of alerts', () => {
  /** Workers count alerts. */
  const device = useDevice({ withWorker: true });
  const { confirmProfile, measure, onlyAlert } = device;

  it('shows open alerts, and the oldest that nobody has in hand, in the metrics', async () => {
    const open = async () => {
      await confirmProfile({ temperatureAlerts: [{ ...FRIDGE.temperatureAlerts[0], severity: 'warning' }] });
      await measure(0, 20);
      return (await onlyAlert()).id;
    };
    const metrics = async () => {
      const text = await (await fetch(device.dms.metricsUrl)).text();
      return text.match(/^dms_(alerts|oldest_new_alert_timestamp_seconds)\{.*severity="warning".*$/gm);
    };
    const count = (status: string, value: number) =>
      `dms_alerts{type="high_temp",severity="warning",status="${status}"} ${value}`;
    const oldest = (id: string) =>
      `dms_oldest_new_alert_timestamp_seconds{severity="warning"} ${recordedAt(id) / 1_000}`;
    const first = await open();
    await device.newDevice();
    const second = await open();
    assert.deepEqual(await metrics(), [count('new', 2), oldest(first)]);
    await device.acknowledge(first);
    assert.deepEqual((await metrics())?.toSorted(), [
      count('acknowledged', 1),
      count('new', 1),
      oldest(second),
    ]);
    await measure(1, 5);
    assert.deepEqual(await metrics(), [count('acknowledged', 1)]);
  });
});

/** The time within an id, in milliseconds. */
const recordedAt = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
