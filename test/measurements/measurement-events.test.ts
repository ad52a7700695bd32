/** What subscribers are told of a frame. */
import assert from 'node:assert/strict';
import { serializeEvent } from '../../src/events/event.ts';
import { measurementEvents } from '../../src/measurements/measurement-events.ts';
import type { ClassifiedReading } from '../../src/measurements/reading.ts';
import type { StoredFrame } from '../../src/measurements/stored-frame.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');

const fresh = (count: number, more: Partial<ClassifiedReading> = {}): ClassifiedReading[] =>
  Array.from({ length: count }, (_, index) => ({
    channel: 1,
    type: 1,
    value: index,
    error: null,
    late: false,
    measuredAt: new Date(NOW.getTime() - index * 1_000),
    ...more,
  }));

const taken = (
  readings: ClassifiedReading[],
  { name = 'Cold room', subscribed = ['data.measurement'] } = {},
): StoredFrame => ({
  asset: {
    assetId: '019cb0a5-0000-7000-8000-000000000000',
    organizationId: 'o',
    serialNumber: '282C02424EED',
    assetName: name,
    layout: { model: null, channelTypes: null },
    subscribed: new Set(subscribed),
    openAlerts: [],
  },
  frame: {
    organizationId: 'o',
    serialNumber: '282c02424eed',
    readings: [],
    batteryStatus: 'ok',
    signal: null,
    configHash: null,
    nextTransmissionAt: null,
    channelTypes: null,
    receivedAt: NOW,
    canDeliverConfig: true,
  },
  fresh: readings,
  state: {
    status: 'online',
    signalStrength: 'good',
    batteryStatus: 'ok',
    lastReadingAt: NOW,
    latestMeasuredAt: NOW,
    lastContactAt: NOW,
    expectedBy: null,
    channelTypes: null,
    newestReadingAt: {},
  },
  cameOnline: false,
  rules: null,
  rulesId: null,
});

describe('The events of a frame', () => {
  const readingsIn = (events: ReturnType<typeof measurementEvents>) =>
    events.flatMap(({ data }) => data.readings);

  it('are none when nobody subscribed, or nothing is new', () => {
    assert.deepEqual(measurementEvents(taken(fresh(1), { subscribed: ['alert.created'] })), []);
    assert.deepEqual(measurementEvents(taken([])), []);
  });

  it('are one, with the serial as it was registered', () => {
    const events = measurementEvents(taken(fresh(3)));
    assert.deepEqual(
      events.map(({ data }) => data.serialNumber),
      ['282C02424EED'],
    );
  });

  it('show a sensor error as a reading without value, with its code', () => {
    const [shown] = readingsIn(measurementEvents(taken(fresh(1, { value: null, error: 8_388_557 }))));
    assert.deepEqual([shown?.value, shown?.error], [null, 8_388_557]);
  });

  it('stay below 20 kB each, in as few as it takes, with every reading once and in order', () => {
    for (const name of ['x', '🌡'.repeat(64), '"'.repeat(128), '\u0001'.repeat(128)]) {
      for (const count of [1, 150, 200, 1_000, 5_000]) {
        const events = measurementEvents(taken(fresh(count, { type: 43 }), { name }));
        for (const event of events) assert.ok(Buffer.byteLength(serializeEvent(event)) < 20_000);
        assert.deepEqual(
          readingsIn(events).map(({ value }) => value),
          Array.from({ length: count }, (_, index) => index),
        );
        const total = events.reduce((sum, event) => sum + Buffer.byteLength(serializeEvent(event)), 0);
        assert.ok(events.length <= Math.ceil(total / 18_000), `${events.length} events for ${total} bytes`);
      }
    }
  });
});
