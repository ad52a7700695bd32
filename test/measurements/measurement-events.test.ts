import assert from 'node:assert/strict';
import type { ClassifiedReading } from '../../src/devices/reading.ts';
import { serializeEvent } from '../../src/events/event.ts';
import type { ReceivedFrame } from '../../src/measurements/frame.ts';
import { frameData, measurementEvents } from '../../src/measurements/measurement-events.ts';
import { EMPTY_FRAME, lockedDevice } from './fixtures.ts';

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

const receivedFrame = (
  readings: ClassifiedReading[],
  { assetName = 'Cold room', subscribed = ['data.measurement'] } = {},
): ReceivedFrame => {
  const device = lockedDevice({ assetName, subscribed: new Set(subscribed) });
  return {
    frame: {
      ...EMPTY_FRAME,
      organizationId: 'o',
      serialNumber: device.serialNumber.toLowerCase(),
      batteryStatus: 'ok',
      receivedAt: NOW,
    },
    device,
    channelTypes: null,
    fresh: readings,
    duplicates: 0,
    conflicts: 0,
    dropped: 0,
    state: device.state,
  };
};

describe('Measurement events', () => {
  const readingsIn = (events: ReturnType<typeof measurementEvents>) =>
    events.flatMap(({ data }) => data.readings);

  it('makes no event without subscribers or new readings', () => {
    assert.deepEqual(measurementEvents(receivedFrame(fresh(1), { subscribed: ['alert.created'] })), []);
    assert.deepEqual(measurementEvents(receivedFrame([])), []);
  });

  it('shows the serial as registered, not as sent', () => {
    const events = measurementEvents(receivedFrame(fresh(3)));
    assert.deepEqual(
      events.map(({ data }) => data.serialNumber),
      ['282C02424EED'],
    );
  });

  it('shows a sensor error as a reading without value, with its code', () => {
    const [shown] = readingsIn(measurementEvents(receivedFrame(fresh(1, { value: null, error: 8_388_557 }))));
    assert.deepEqual([shown?.value, shown?.error], [null, 8_388_557]);
  });

  it('leaves room for fields that the caller adds, and makes the readings once for all additions', () => {
    const bounds = { lowC: 2, highC: 8, hysteresisC: 0.5 };
    const additions = [1, 1_000].map((length) => ({ alertId: 'x'.repeat(length), bounds }));
    const parts = frameData(receivedFrame(fresh(1_000)), additions);
    assert.ok(parts.length > 2);
    for (const data of parts) {
      const event = { type: 'data.measurement.alert' as const, timestamp: NOW, data };
      assert.ok(Buffer.byteLength(serializeEvent(event)) < 20_000);
    }
    const [short, long] = additions.map(({ alertId }) => parts.filter((each) => each.alertId === alertId));
    assert.equal(short?.flatMap(({ readings }) => readings).length, 1_000);
    for (const [index, { readings }] of (short ?? []).entries())
      assert.equal(readings, long?.[index]?.readings);
  });

  it('splits a frame into as few events below 20 kB as possible, with every reading once and in order', () => {
    for (const assetName of ['x', '🌡'.repeat(64), '"'.repeat(128), '\u0001'.repeat(128)]) {
      for (const count of [1, 150, 200, 1_000, 5_000]) {
        const events = measurementEvents(receivedFrame(fresh(count, { type: 43 }), { assetName }));
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
